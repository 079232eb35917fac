import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { internet } from "./test/support/internet.ts";

export default defineConfig({
  test: {
    silent: "passed-only",
    maxWorkers: 2, // by itself one core of two is left idle
    projects: [
      {
        plugins: [
          cloudflareTest({ wrangler: { configPath: "./wrangler.toml" }, miniflare: { outboundService: internet } }),
        ],
        test: {
          name: "workerd",
          include: ["test/**/*.test.ts"],
          exclude: ["test/e2e/**"],
          testTimeout: 30_000, // the first test of a file waits for the Worker to be built
        },
      },
      {
        test: { name: "e2e", include: ["test/e2e/**/*.test.ts"], testTimeout: 60_000, hookTimeout: 60_000 },
      },
    ],
  },
});
