/**
 * Mutation testing: changes one thing at a time in the files where money and pages are at stake, and runs their tests, which
 * have to notice.
 *
 *   npm run mutate [-- record gate …]
 */
import { Stryker } from "@stryker-mutator/core";

/** The files, and the tests whose subject they are: what others notice by the way counts for nothing here. */
const SUBJECTS = {
  record: ["src/payments/ledger/record.ts", "test/payments/ledger/record.test.ts"],
  ledgerEntry: ["src/payments/ledger/ledgerEntry.ts", "test/payments/ledger/record.test.ts"],
  gate: ["src/payments/sale/{gate,answers}.ts", "test/payments/sale/{gate,idempotency}.test.ts"],
  ledger: ["src/payments/ledger/ledger.ts", "test/service/account/ledger.test.ts"],
  tail: [
    "src/engine/pdf/output/tail.ts",
    "test/engine/pdf/{tolerance,agreement,output/tail,output/output,security/encryption}.test.ts",
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
    concurrency: 1, // a Workers runtime for each
    timeoutMS: 10_000,
    ignorePatterns: ["bench", "dist", "out"], // of the copy that is made of the project
    tempDirName: "out/mutation",
    tsconfigFile: "none", // nothing of it has to change, and TypeScript is called something else here
    reporters: ["clear-text", "json", "progress-append-only"],
    clearTextReporter: { reportTests: false, reportScoreTable: true, skipFull: true },
    jsonReporter: { fileName: `out/mutation/${name}.json` },
  }).runMutationTest();
}
