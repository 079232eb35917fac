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

/**
 * Options for projects whose test files share their modules, because loading modules again takes longer than the tests.
 */
// the time limit is long, because the first test of a file waits for the runtime to start
const SHARED_MODULES = { isolate: false, testTimeout: 60_000 };

/** Packages of hundreds of modules. They are bundled in advance, because workerd requests every module separately. */
const LARGE_PACKAGES = [
  ...["viem", "viem/accounts", "viem/siwe", "viem/tokens", "viem/utils", "zod"],
  ...[
    "@x402/evm",
    "@x402/evm/batch-settlement/client",
    "@x402/evm/exact/client",
    "@x402/evm/v1",
    "@x402/extensions/offer-receipt",
  ],
  ...["@noble/hashes/legacy.js", "@noble/hashes/sha2.js"],
];

/**
 * Flags for V8 in Node: collect garbage after 500 MB, including memory outside of the heap. By default, V8 scans 100 MB
 * of modules for every 64 MB of files and pictures, which takes an eighth of the test time.
 */
const FEW_COLLECTIONS = process.env.STRYKER_MUTATOR_WORKER
  ? [] // mutation testing runs the tests in threads, which do not accept these flags
  : ["--initial-old-space-size=500", "--external-memory-accounted-in-global-limit"];

/** Folders whose tests run without the Workers runtime. */
const PURE_FOLDERS = "test/{engine,payments,settings,shared}/**/*.test.ts";

/** Tests in other folders that run without the Workers runtime. */
const PURE_FILES = [
  "test/inputs/{address,parts,sniff}.test.ts",
  "test/mcp/{hosts,results}.test.ts",
  "test/service/request/typedFields.test.ts",
  "test/site/snippets.test.ts",
  "test/web/{handleSides,markGeometry}.test.ts",
  "test/storage/conditions.test.ts",
];

/**
 * Pure tests that also run in workerd. They cover signatures and `engine/platform`. The files of `engine/platform` have
 * a variant for each runtime.
 */
const SMOKE = [
  "test/engine/watermark.test.ts",
  "test/engine/fonts/harfbuzz.test.ts",
  "test/engine/images/readImage.test.ts",
  "test/engine/pdf/fuzz.test.ts",
  "test/engine/pdf/security/encryption.test.ts",
  "test/payments/ledger/record.test.ts",
  "test/payments/sale/signIn.test.ts",
];

const WORKER = workerOptionsIn(".");
/**
 * Turns off compression of the modules that Vite sends to workerd, because compression takes a tenth of the test time.
 */
const UNCOMPRESSED = { compatibilityFlags: [...(WORKER.compatibilityFlags as string[]), "no_web_socket_compression"] };

const pathOf = ({ href }: URL) => fileURLToPath(href);

/** Loads pdf-lib from one file instead of 200 files. */
const ONE_FILE_PDF_LIB = { find: "pdf-lib", replacement: "pdf-lib/dist/pdf-lib.esm.js" };

/** Modules that exist only in workerd, with their replacements for Node. */
const IN_NODE = [
  {
    find: /^cloudflare:(workers|sockets)$/,
    replacement: pathOf(new URL("test/support/workersInNode.ts", import.meta.url)),
  },
  { find: "@hyzyla/pdfium/pdfium.wasm", replacement: pathOf(new URL("test/support/pdfiumInNode.ts", import.meta.url)) },
];

/**
 * Temporary folder of the test projects that start programs (e2e, channels and browser). The other projects use
 * `storageFolder()`, which may be in memory.
 */
const TMPDIR = tmpdir();
process.env.TMPDIR = storageFolder();

/**
 * The Worker under test. CHANNEL_KEY is set here, because the Durable Objects of channels read the key from their own
 * environment.
 */
const workerInTests = {
  ...WORKER,
  ...UNCOMPRESSED,
  outboundService: internet,
  bindings: { CHANNEL_KEY: `0x${"c1".repeat(32)}` },
};

export default defineConfig({
  test: {
    silent: "passed-only",
    globalSetup: "test/support/quiet.ts",
    sequence: { sequencer: LongestFirst },
    maxWorkers: 4, // more than the number of cores, because many test files wait for a chain or a deadline
    projects: [
      {
        // tests of pure parts in plain Node; they are the fastest to repeat after a change
        plugins: [fastExports],
        resolve: {
          alias: [...IN_NODE, ONE_FILE_PDF_LIB],
        },
        test: {
          name: "unit",
          include: [PURE_FOLDERS, ...PURE_FILES],
          setupFiles: ["test/support/nodeGlobals.ts"],
          execArgv: FEW_COLLECTIONS,
          ...SHARED_MODULES,
        },
      },
      {
        // tests in workerd of parts that need the Workers runtime, and of the Worker itself
        plugins: [
          fastExports,
          withoutMaps,
          cloudflareTest({
            main: "src/index.ts",
            miniflare: workerInTests,
          }),
        ],
        resolve: { alias: [ONE_FILE_PDF_LIB] },
        test: {
          name: "worker",
          include: ["test/*.test.ts", "test/{http,inputs,mcp,service,site,storage}/**/*.test.ts", ...SMOKE],
          exclude: PURE_FILES,
          globalSetup: "test/support/site.ts",
          setupFiles: ["test/support/mainModule.ts", "test/support/emptyStorage.ts"],
          deps: { optimizer: { ssr: { enabled: true, include: LARGE_PACKAGES } } },
          ...SHARED_MODULES,
        },
      },
      {
        // tests of the whole service in Node, with a simulated runtime
        plugins: [fastExports],
        test: { name: "simulation", include: ["test/simulation/**/*.test.ts"], ...SHARED_MODULES },
      },
      {
        plugins: [fastExports],
        resolve: {
          alias: { typescript: pathOf(new URL("test/support/typescriptApi.ts", import.meta.url)) },
        },
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          globalSetup: ["test/support/site.ts", "test/support/builtWorkers.ts"],
          // folders where the programs under test store files
          env: { TMPDIR, NODE_COMPILE_CACHE: join(TMPDIR, "overprint-compile-cache") },
          execArgv: FEW_COLLECTIONS,
          ...SHARED_MODULES,
          hookTimeout: 120_000, // long, because the first hook that needs a Worker builds it
          // inlined, so that the alias also applies to this package
          server: { deps: { inline: ["openapi-typescript"] } },
          maxConcurrency: 20, // many, because tests that wait for a chain or a deadline can wait together
        },
      },
      {
        // slow tests of payment channels, run by `npm run check:channels`
        plugins: [fastExports],
        test: {
          name: "channels",
          include: ["test/channels/**/*.test.ts"],
          globalSetup: ["test/support/site.ts", "test/support/builtWorkers.ts"],
          env: { TMPDIR },
          ...SHARED_MODULES,
          testTimeout: 300_000,
          hookTimeout: 120_000, // long, because the first hook that needs a Worker builds it
        },
      },
      {
        // tests in a real browser, run by `npm run test:browser`; two files at a time, because each page needs a core
        test: {
          name: "browser",
          include: ["test/browser/**/*.test.ts"],
          env: { TMPDIR },
          globalSetup: ["test/support/site.ts", "test/support/builtWorkers.ts"],
          ...SHARED_MODULES,
          hookTimeout: 120_000, // long, because the first hook that needs a Worker builds it
          maxWorkers: 2,
        },
      },
    ],
  },
});
