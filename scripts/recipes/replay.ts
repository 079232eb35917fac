import { spawn } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { join, relative } from "node:path";

/** The red files: the files in which a type check or a test fails. Paths are relative to the checkout. */
export interface Reds {
  /** Files with compile errors. */
  types: string[];
  /** Test files with a failing test. */
  tests: string[];
}

/** The red files of a checkout, and the output of the checks. */
interface Outcome extends Reds {
  output: string;
}

/** Arguments of the compiler for each type check: the Worker with its tests, and the page. */
const TYPE_CHECKS = [[], ["-p", "web"]];

/**
 * Compiles a checkout and runs test files. Returns the files that fail.
 * @throws Error if the compiler or the test runner fails without naming a file
 */
export async function check(checkout: string, testFiles: readonly string[]): Promise<Outcome> {
  const compiled = await Promise.all(TYPE_CHECKS.map((project) => compile(checkout, project)));
  const tested = await runTests(checkout, testFiles);
  const outputs = new Set([...compiled, tested].map(({ output }) => output.trim()).filter(Boolean));
  return {
    types: sorted(compiled.flatMap(({ files }) => files)),
    tests: sorted(tested.files),
    output: [...outputs].join("\n"),
  };
}

/** Runs a program of the checkout in Node.js, and returns its exit code and output. */
export async function run(checkout: string, args: readonly string[]): Promise<{ code: number | null; output: string }> {
  const { SITE_BUILT_IN: _, ...env } = process.env;
  const child = spawn(process.execPath, args, { cwd: checkout, env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  const code = await new Promise<number | null>((resolve, reject) => child.on("error", reject).on("close", resolve));
  return { code, output };
}

interface FailedFiles {
  files: string[];
  output: string;
}

async function compile(checkout: string, project: readonly string[]): Promise<FailedFiles> {
  const { code, output } = await run(checkout, ["node_modules/typescript-7/bin/tsc", ...project, "--pretty", "false"]);
  const files = Array.from(output.matchAll(/^(\S[^(\n]*)\(\d+,\d+\): error /gm), ([, file]) => file!);
  if ((code === 0) !== (files.length === 0)) throw new Error(`The compiler ended with ${code}:\n${output}`);
  return { files, output };
}

/** The parts of Vitest's JSON report that this script reads. */
interface Report {
  testResults: {
    name: string;
    status: string;
    message: string;
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[];
  }[];
}

async function runTests(checkout: string, testFiles: readonly string[]): Promise<FailedFiles> {
  const reportFile = join(checkout, "out/report.json");
  await rm(reportFile, { force: true });
  const reporting = ["--reporter=json", `--outputFile=${reportFile}`];
  const vitest = ["node_modules/vitest/vitest.mjs", "run", "--project=!browser", ...reporting, ...testFiles];
  const { code, output } = await run(checkout, vitest);
  const report = await readFile(reportFile, "utf8").catch(() => undefined);
  if (report === undefined) throw new Error(`Vitest ended with ${code} and no report:\n${output}`);

  const { testResults } = JSON.parse(report) as Report;
  const pathOf = (name: string) => relative(checkout, name).replaceAll("\\", "/");
  const ran = testResults.map(({ name }) => pathOf(name));
  const missing = testFiles.filter((file) => !ran.includes(file));
  if (missing.length > 0) throw new Error(`Vitest did not run ${missing.join(", ")}:\n${output}`);
  const failed = testResults.filter(({ status }) => status !== "passed");
  if ((code === 0) !== (failed.length === 0)) throw new Error(`Vitest ended with ${code}:\n${output}`);
  const lines = failed.flatMap(({ name, message, assertionResults }) => [
    `${pathOf(name)} ${message.split("\n")[0]}`,
    ...assertionResults
      .filter((test) => test.status === "failed")
      .map(({ fullName, failureMessages }) => `  ${fullName}: ${failureMessages[0]?.split("\n")[0]}`),
  ]);
  return { files: failed.map(({ name }) => pathOf(name)), output: lines.join("\n") };
}

function sorted(names: readonly string[]): string[] {
  return [...new Set(names)].sort();
}
