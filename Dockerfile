# Runs the Worker on your own machine: docs/operate.md, "Running workerd yourself".
# docs/operate.md shows the command that sets BASE to the digest of this image.
ARG BASE=node:24-bookworm-slim
FROM ${BASE} AS build
# workerd uses the certificates of the system
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Skips the project's install script, whose file is not copied yet. `npm run build:server` installs what it needs.
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build:server
# Installs only the packages that serve the Worker, from the lock file
RUN mkdir /serve && node scripts/serveManifest.mjs /serve && cd /serve && npm ci --ignore-scripts --no-audit --no-fund

FROM ${BASE}
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
WORKDIR /app
COPY --from=build /serve ./
COPY --from=build /app/dist ./dist
COPY --from=build /app/scripts/serve.ts ./scripts/
COPY --from=build /app/src/settings/settingNames.ts /app/src/settings/settingWords.ts ./src/settings/
COPY --from=build /app/scripts/lib/serveWorker.ts /app/scripts/lib/front.js /app/scripts/lib/port.ts /app/scripts/lib/serverLog.ts /app/scripts/lib/watchFolders.ts ./scripts/lib/
RUN mkdir /state && chown node /state
USER node
# The server writes only to /state and /tmp, so the root file system can be read-only.
# It listens on all addresses of the container. Publish its port only at 127.0.0.1 of the host, behind a proxy.
ENV HOST=0.0.0.0 PORT=8787 STATE=/state NODE_ENV=production
VOLUME /state
EXPOSE 8787
HEALTHCHECK --interval=60s --timeout=10s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "scripts/serve.ts"]
