# Runs the Worker on your own machine: docs/operate.md, "Running workerd yourself".
FROM node:24-bookworm-slim AS build
# workerd uses the certificates of the system
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The scripts of package.json are not copied yet. `npm run` below installs what they need.
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build:server
# Installs only the packages that serve the Worker, in the versions of package.json
RUN node -p 'const { dependencies, devDependencies } = require("./package.json"); const { leven, miniflare } = { ...devDependencies, ...dependencies }; JSON.stringify({ type: "module", dependencies: { leven, miniflare } })' > /tmp/serve.json \
  && mkdir /serve && mv /tmp/serve.json /serve/package.json && cd /serve && npm install --no-package-lock --no-audit --no-fund

FROM node:24-bookworm-slim
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
WORKDIR /app
COPY --from=build /serve ./
COPY --from=build /app/dist ./dist
COPY --from=build /app/scripts/serve.ts ./scripts/
COPY --from=build /app/src/settings/settingNames.ts ./src/settings/
COPY --from=build /app/scripts/lib/serveWorker.ts /app/scripts/lib/front.js /app/scripts/lib/port.ts ./scripts/lib/
RUN mkdir /state && chown node /state
USER node
# The server listens on all addresses of the container. Publish its port only at 127.0.0.1 of the host, behind a proxy.
ENV HOST=0.0.0.0 PORT=8787 STATE=/state NODE_ENV=production
VOLUME /state
EXPOSE 8787
HEALTHCHECK --interval=60s --timeout=10s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "scripts/serve.ts"]
