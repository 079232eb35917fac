/**
 * Runs mutation tests of the source files that matter most for money and pages. Each mutation changes one place in one
 * of these files, and at least one of the file's tests must then fail. `npm run mutate [-- record gate …]`
 */
import { Stryker } from "@stryker-mutator/core";

/** The source files to mutate, each with the tests that must detect the changes. */
const SUBJECTS = {
  record: ["src/payments/ledger/record.ts", "test/payments/ledger/record.test.ts"],
  ledgerEntry: ["src/payments/ledger/ledgerEntry.ts", "test/payments/ledger/record.test.ts"],
  gate: [
    "src/payments/sale/{gate,ownPayment,earlierPayment,answers}.ts",
    "test/payments/sale/{gate,idempotency}.test.ts",
  ],
  ledger: ["src/payments/ledger/ledger.ts", "test/service/account/ledger.test.ts"],
  tail: [
    "src/engine/pdf/output/tail.ts",
    "test/engine/pdf/{tolerance,agreement,output/tail,output/output,security/encryption}.test.ts",
  ],
  skeleton: [
    "src/engine/pdf/output/skeleton.ts",
    "test/engine/pdf/{reading,agreement,output/skeleton,output/output,output/proof,output/blending}.test.ts",
  ],
  pageTree: [
    "src/engine/pdf/pages/{pageTree,treeNode}.ts",
    "test/engine/pdf/{reading,tolerance,agreement,readersShow,pages/pageTree,document/damagedTrees,source/bounds}.test.ts",
  ],
  eraser: ["src/engine/pdf/output/eraser.ts", "test/engine/pdf/output/eraser.test.ts"],
};

const wanted = process.argv.slice(2);
for (const name of wanted.length > 0 ? wanted : Object.keys(SUBJECTS)) {
  const [source, tests] = SUBJECTS[name] ?? [];
  if (!source) throw new Error(`"${name}" is none of ${Object.keys(SUBJECTS).join(", ")}`);
  await new Stryker({
    mutate: [source],
    testFiles: [tests],
    testRunner: "vitest",
    plugins: ["@stryker-mutator/vitest-runner"],
    vitest: { configFile: "vitest.config.mts", related: false },
    coverageAnalysis: "perTest",
    concurrency: 1, // only one Workers runtime can run at a time
    timeoutMS: 10_000,
    ignorePatterns: ["bench", "dist", "out"], // folders that are not copied to the sandbox
    tempDirName: "out/mutation",
    // Stryker must not rewrite tsconfig.json, because TypeScript's package has another name here.
    tsconfigFile: "none",
    reporters: ["clear-text", "json", "progress-append-only"],
    clearTextReporter: { reportTests: false, reportScoreTable: true, skipFull: true },
    jsonReporter: { fileName: `out/mutation/${name}.json` },
  }).runMutationTest();
}
