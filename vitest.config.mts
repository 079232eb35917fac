import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { workerOptionsIn } from "./scripts/lib/workerOptions.ts";
import { fastExports } from "./test/support/fastExports.ts";
import { internet } from "./test/support/internet.ts";
import { LongestFirst } from "./test/support/longestFirst.ts";
import { storageFolder } from "./test/support/storageFolder.ts";
import { withoutMaps } from "./test/support/withoutMaps.ts";

/** Modules are loaded once for all files of a project: anew for each file they took longer than the tests. */
const SHARED_MODULES = { isolate: false, testTimeout: 60_000 }; // the first test of a file waits for its runtime

/** Of hundreds of modules, of which the Workers runtime would ask for each by itself: they are bundled for it first. */
const LARGE_PACKAGES = [
  ...["viem", "viem/accounts", "viem/siwe", "viem/tokens", "viem/utils", "zod"],
  ...["@x402/evm", "@x402/evm/exact/client", "@x402/evm/v1", "@x402/extensions/offer-receipt"],
  ...["@noble/hashes/legacy.js", "@noble/hashes/sha2.js"],
];

/**
 * For Node's V8: 500 MB before all is collected, with what is outside of its heap. Without, each 64 MB of files and pictures
 * had a hundred MB of modules gone through: an eighth of all time.
 */
const FEW_COLLECTIONS = ["--initial-old-space-size=500", "--external-memory-accounted-in-global-limit"];

/** For programs that tests start, also from there. */
const TMPDIR = tmpdir();
process.env.TMPDIR = storageFolder(); // for the Workers of all other projects, which run beside this process

export default defineConfig({
  test: {
    silent: "passed-only",
    globalSetup: "test/support/quiet.ts",
    sequence: { sequencer: LongestFirst },
    maxWorkers: 4, // of two cores: many files wait for a chain or a deadline, those of all projects beside each other
    projects: [
      {
        // in the Workers runtime, the parts by themselves and the Worker
        plugins: [
          fastExports,
          withoutMaps,
          cloudflareTest({ main: "src/index.ts", miniflare: { ...workerOptionsIn("."), outboundService: internet } }),
        ],
        resolve: { alias: { "pdf-lib": "pdf-lib/dist/pdf-lib.esm.js" } }, // one file instead of 200
        test: {
          name: "worker",
          include: ["test/**/*.test.ts"],
          exclude: ["test/{simulation,e2e,browser}/**"],
          globalSetup: "test/support/site.ts",
          setupFiles: ["test/support/mainModule.ts", "test/support/emptyStorage.ts"],
          deps: { optimizer: { ssr: { enabled: true, include: LARGE_PACKAGES } } },
          ...SHARED_MODULES,
        },
      },
      {
        // in Node, which simulates the runtime
        plugins: [fastExports],
        test: { name: "simulation", include: ["test/simulation/**/*.test.ts"], ...SHARED_MODULES },
      },
      {
        plugins: [fastExports],
        resolve: {
          alias: { typescript: fileURLToPath(new URL("test/support/typescriptApi.ts", import.meta.url).href) },
        },
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          globalSetup: ["test/support/site.ts", "test/support/builtWorkers.ts"],
          env: { TMPDIR, NODE_COMPILE_CACHE: join(TMPDIR, "overprint-compile-cache") }, // for the programs that are tested
          execArgv: FEW_COLLECTIONS,
          ...SHARED_MODULES,
          hookTimeout: 120_000, // the first that asks for a Worker builds it
          server: { deps: { inline: ["openapi-typescript"] } }, // for the alias
          maxConcurrency: 20, // those that wait for a chain or a deadline wait side by side
        },
      },
      {
        // a real browser, by `npm run test:browser`; two files at a time, since each page wants a core
        test: {
          name: "browser",
          include: ["test/browser/**/*.test.ts"],
          env: { TMPDIR },
          globalSetup: ["test/support/site.ts", "test/support/builtWorkers.ts"],
          ...SHARED_MODULES,
          hookTimeout: 120_000, // the first that asks for a Worker builds it
          maxWorkers: 2,
        },
      },
    ],
  },
});
