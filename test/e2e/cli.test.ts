/** Tests the program `overprint`, except for purchases, which cliBuy.test.ts tests. */
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { samePages } from "../../bench/inputs.ts";
import { encryptedPage, VECTORS } from "../engine/pdf/security/encryptedFile.ts";
import { type Run, runCli, runProgram, startCli } from "../support/cli.ts";
import { render } from "./render.ts";

const root = join(import.meta.dirname, "../..");
const CONTRACT = join(root, "examples/contract.pdf");
const LOGO = join(root, "examples/logo.png");
const COMMANDS = ["mark", "buy", "pay", "channel", "demo", "dev"];

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "overprint-cli-"));
  await copyFile(CONTRACT, join(dir, "contract.pdf"));
  return () => rm(dir, { recursive: true, force: true });
});
const cli = (args: string[], setting: Parameters<typeof runCli>[1] = {}) => runCli(args, { cwd: dir, ...setting });
/** Runs the program like `cli`, but in a separate process. */
const program = (args: string[], setting: Parameters<typeof runProgram>[1] = {}) =>
  runProgram(args, { cwd: dir, ...setting });
const files = async () => (await readdir(dir)).sort();

/** Expects one line on stderr. stdout must be empty or contain the same message as JSON. */
function expectOneLine({ stdout, stderr }: Run, what: string): void {
  expect(stderr).toContain(what);
  expect(stderr.trim().split("\n")).toHaveLength(1);
  expect(stderr).toMatch(/^overprint: /);
  if (stdout) expect(stderr).toBe(`overprint: ${JSON.parse(stdout).error.message}\n`);
}

/** Expects that every page of the result looks different from the source. */
async function expectMarks(pdf: Uint8Array): Promise<void> {
  const [before, after] = await Promise.all([render(await readFile(CONTRACT)), render(pdf)]);
  const nowhere = { left: 0, top: 0, right: 0, bottom: 0 };
  expect(after).toHaveLength(before.length);
  for (const [at, page] of after.entries()) expect(page.changedOutside(nowhere, before[at]!)).toBeGreaterThan(200);
}

describe("overprint help", () => {
  test("overprint help lists the commands and exit codes", async () => {
    const { code, stdout } = await cli(["--help"]);
    expect(code).toBe(0);
    for (const name of COMMANDS) expect(stdout).toMatch(new RegExp(`^  ${name} `, "m"));
    expect(stdout).toContain("Exit codes: 0 done; 1 failed; 2 ");
    expect((await cli([])).stdout).toBe(stdout);
  });

  test.each(COMMANDS)("overprint help %s lists the flags and examples of the command", async (name) => {
    const { code, stdout, stderr } = await cli([name, "--help"]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain(`Usage: overprint ${name}`);
    expect(stdout).toContain("Examples:");
    expect((await cli(["help", name])).stdout).toBe(stdout);
  });

  test("the help of overprint mark states types, ranges and defaults of fields, such as those of --opacity", async () => {
    const help = (await cli(["mark", "--help"])).stdout.replaceAll(/\s+/g, " ");
    for (const text of [
      "--opacity <number> Opacity of the mark as a whole, from 0 (invisible) to 1 (opaque). Default: 0.3.",
      "--font-size <number>",
      "-360 to 360.",
      "One of top-left, top, top-right, left,",
      "With --image: center.",
      "--scale <number>",
    ])
      expect(help).toContain(text);
  });

  test("--version prints the version of package.json", async () => {
    const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { version: string };
    expect(await program(["--version"])).toMatchObject({ code: 0, stdout: `${version}\n` });
  });
});

describe("overprint mark", () => {
  test("overprint mark writes the result next to the source and prints a report", async () => {
    const { code, stdout, stderr } = await cli(["mark", "contract.pdf", "--text", "DRAFT", "--rotation", "-30"]);
    expect([code, stderr]).toEqual([0, ""]);
    const marked = await readFile(join(dir, "contract-watermarked.pdf"));
    expect(stdout).toBe(`contract-watermarked.pdf: 4 pages, ${marked.length.toLocaleString("en")} bytes\n`);
    await expectMarks(marked);
    expect(await files()).toEqual(["contract-watermarked.pdf", "contract.pdf"]);
    expect(await readFile(join(dir, "contract.pdf"))).toEqual(await readFile(CONTRACT));
  });

  test("overprint mark puts an image on every page", async () => {
    const { code } = await cli(["mark", "contract.pdf", "--image", LOGO, "--scale=0.4", "-o", "new.pdf"]);
    expect(code).toBe(0);
    await expectMarks(await readFile(join(dir, "new.pdf")));
  });

  test("overprint mark replaces {filename} in a text by the name of each file, or by --filename for standard input", async () => {
    const markedBy = async (args: string[]) =>
      (await cli(["mark", ...args, "-o", "-"], { input: await readFile(CONTRACT) })).bytes;
    const expected = await markedBy(["contract.pdf", "--text", "contract.pdf"]);
    expect(await markedBy([join(dir, "contract.pdf"), "--text", "{filename}"])).toEqual(expected);
    expect(await markedBy(["-", "--text", "{filename}", "--filename", "contract"])).toEqual(expected);
  });

  test("overprint mark reads the PDF from standard input and writes the result to standard output", async () => {
    const flags = ["mark", "-", "--text", "DRAFT"];
    const { code, bytes, stderr } = await program(flags, { input: await readFile(CONTRACT) });
    expect(code).toBe(0);
    expect(stderr).toMatch(/^standard output: 4 pages, [\d,]+ bytes\n$/);
    await cli(["mark", "contract.pdf", "--text", "DRAFT"]);
    expect(bytes).toEqual(await readFile(join(dir, "contract-watermarked.pdf")));
    expect((await cli(["mark", "contract.pdf", "--text", "DRAFT", "-o", "-"])).bytes).toEqual(bytes);
  });

  test("overprint mark writes the results of several files to a folder, and accepts file names and patterns", async () => {
    await copyFile(CONTRACT, join(dir, "other.PDF"));
    await mkdir(join(dir, "out"));
    const { code, stdout } = await cli(["mark", "*.pdf", "other.PDF", "contract.pdf", "--text", "X", "-o", "out"]);
    expect(code).toBe(0);
    expect(await readdir(join(dir, "out"))).toEqual(["contract-watermarked.pdf", "other-watermarked.pdf"]);
    expect(stdout.trim().split("\n")).toHaveLength(2);
  });

  test("overprint mark creates an output folder whose name ends in /, but only if there is a result to write", async () => {
    const missing = await cli(["mark", "nowhere.pdf", "--text", "X", "-o", "new/marked/"]);
    expect([missing.code, await files()]).toEqual([2, ["contract.pdf"]]);
    const { code, stdout } = await cli(["mark", "contract.pdf", "--text", "X", "-o", "new/marked/"]);
    expect([code, stdout]).toEqual([0, expect.stringContaining("new/marked/contract-watermarked.pdf: 4 pages")]);
    expect(await readdir(join(dir, "new/marked"))).toEqual(["contract-watermarked.pdf"]);
    const run = await cli(["mark", "contract.pdf", "--text", "X", "-o", "contract.pdf/"]);
    expect(run.code).toBe(1);
    expectOneLine(run, "contract.pdf/contract-watermarked.pdf: ");
  });

  test("overprint mark continues with the remaining files if a file cannot be marked", async () => {
    await writeFile(join(dir, "b.pdf"), "no PDF");
    const run = await program(["mark", "b.pdf", "contract.pdf", "--text", "X", "--json"]);
    expect(run.code).toBe(1);
    expect(JSON.parse(run.stdout)).toEqual({
      files: [
        { source: "b.pdf", error: { code: "not_a_pdf", message: expect.stringMatching(/PDF/) } },
        {
          source: "contract.pdf",
          output: "contract-watermarked.pdf",
          pages: 4,
          bytes: expect.any(Number),
          notices: [],
        },
      ],
    });
    expectOneLine({ ...run, stdout: "" }, "b.pdf: ");
    expect(await files()).toEqual(["b.pdf", "contract-watermarked.pdf", "contract.pdf"]);
  });

  test("overprint mark names its output file after the value of --filename", async () => {
    await cli(["mark", "contract.pdf", "--text", "X", "--filename", "final"]);
    expect(await files()).toEqual(["contract.pdf", "final.pdf"]);
  });

  test("overprint mark replaces its source file only with --overwrite, and preserves the file mode", async () => {
    await chmod(join(dir, "contract.pdf"), 0o640);
    await symlink("contract.pdf", join(dir, "link.pdf"));
    for (const output of ["contract.pdf", "./contract.pdf", "link.pdf"]) {
      const run = await cli(["mark", "contract.pdf", "--text", "X", "-o", output]);
      expect(run.code).toBe(2);
      expectOneLine(run, `${output} is the source file`);
    }
    expect((await cli(["mark", "contract.pdf", "--text", "X", "-o", "link.pdf", "--overwrite"])).code).toBe(0);
    await expectMarks(await readFile(join(dir, "contract.pdf")));
    expect((await stat(join(dir, "contract.pdf"))).mode & 0o777).toBe(0o640);
    expect(await files()).toEqual(["contract.pdf", "link.pdf"]);
  });

  test("overprint mark never replaces another input file", async () => {
    await copyFile(CONTRACT, join(dir, "contract-watermarked.pdf"));
    await copyFile(LOGO, join(dir, "logo.png"));
    const many = ["mark", "contract-watermarked.pdf", "contract.pdf", "--text", "X"];
    for (const flags of [many, [...many, "--overwrite"], [...many, "-o", "."]]) {
      const run = await cli(flags);
      expect(run.code).toBe(2);
      expectOneLine(run, "contract-watermarked.pdf is an input and would be replaced");
    }
    for (const command of ["mark", "buy"])
      expectOneLine(
        await cli([command, "contract.pdf", "--image", "logo.png", "-o", "./logo.png"]),
        "./logo.png is an input and would be replaced",
      );
    expect(await files()).toEqual(["contract-watermarked.pdf", "contract.pdf", "logo.png"]);
    expect(await readFile(join(dir, "contract-watermarked.pdf"))).toEqual(await readFile(CONTRACT));
    expect(await readFile(join(dir, "logo.png"))).toEqual(await readFile(LOGO));
  });

  test("overprint mark writes to a device file without replacing it", async () => {
    expect((await cli(["mark", "contract.pdf", "--text", "X", "-o", "/dev/null"])).code).toBe(0);
    expect((await stat("/dev/null")).isCharacterDevice()).toBe(true);
  });

  test("overprint mark writes the same bytes whether it reads a large file in parts or completely", async () => {
    const pdf = samePages(50, 400_000);
    expect(pdf.length).toBeGreaterThan(16e6);
    await writeFile(join(dir, "large.pdf"), pdf);
    const { code } = await cli(["mark", "large.pdf", "--text", "X"]);
    expect(code).toBe(0);
    const { bytes } = await cli(["mark", "-", "--text", "X"], { input: pdf });
    expect(Buffer.compare(await readFile(join(dir, "large-watermarked.pdf")), bytes)).toBe(0);
  });

  test("overprint mark exits silently if the reader of its output closes the pipe", async () => {
    await writeFile(join(dir, "large.pdf"), samePages(50, 400_000));
    const child = startCli(["mark", "large.pdf", "--text", "X", "-o", "-"], { cwd: dir });
    let stderr = "";
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk));
    child.stdout.once("data", () => child.stdout.destroy());
    const [code] = await once(child, "close");
    expect([code, stderr]).toEqual([1, ""]);
  });

  test("overprint mark leaves no partial file when Ctrl-C stops it", async () => {
    await writeFile(join(dir, "large.pdf"), samePages(200, 400_000));
    const child = startCli(["mark", "large.pdf", "--text", "X"], { cwd: dir });
    await vi.waitFor(async () => expect(await files()).toHaveLength(3), { timeout: 20_000, interval: 1 });
    child.kill("SIGINT");
    const [code] = await once(child, "close");
    expect(code).toBe(130);
    expect(await files()).toEqual(["contract.pdf", "large.pdf"]);
  });
});

describe("errors of the command line", () => {
  test.each([
    [["mark", "contract.pdf", "--txt", "X"], "unknown option '--txt': did you mean --text?"],
    [["mrk", "contract.pdf"], "unknown command 'mrk': did you mean mark?"],
    [["help", "mrk"], "unknown command 'mrk': did you mean mark?"],
    [["--"], "a command is missing"],
    [["mark"], "missing required argument 'files'"],
    [["mark", "contract.pdf"], "--text or --image is needed"],
    [["mark", "contract.pdf", "--text"], "option '--text <text>' argument missing"],
    [["mark", "contract.pdf", "--text", "--position", "top"], "--text has no value, since --position is the next flag"],
    [["mark", "contract.pdf", "--text", "A", "--text", "B"], "--text was given more than once"],
    [["mark", "contract.pdf", "--text", "A", "--image", LOGO], "--text and --image cannot be combined"],
    [["mark", "contract.pdf", "--text", "A", "--scale", "0.2"], "--scale is not an option of --text, but of --image"],
    [["mark", "contract.pdf", "--text", "A", "--opacity", "2"], "--opacity must be a number from 0 to 1"],
    [["mark", "contract.pdf", "--text", "A", "--opacity", "much"], "--opacity must be a number"],
    [["mark", "contract.pdf", "--text", "A", "--rotation", "-361"], "--rotation must be at least -360"],
    [["mark", "contract.pdf", "--text", "A", "--position", "topleft"], "Did you mean top-left?"],
    [["mark", "contract.pdf", "--text", "A", "--font_size", "0"], "--font-size must be more than 0"],
    [["mark", "contract.pdf", "--text", " "], "--text must have a visible character"],
    [
      ["mark", "contract.pdf", "--text", "A", "--opacity", "2", "--color", "red"],
      "; --color must be #rrggbb, such as #cc0000",
    ],
    [
      ["mark", "contract.pdf", "--text", "A", "--lang", "!!"],
      "overprint: --lang must be a language tag (BCP 47), such as ja, zh-Hant, zh-HK or ur\n",
    ],
    [["mark", "nowhere.pdf", "--text", "A"], "nowhere.pdf: no such file"],
    [["mark", "*.nothing", "--text", "A"], "*.nothing: no file matches"],
    [["mark", "empty", "--text", "A"], "empty: no such file"],
    [["mark", "contract.pdf", "--text", "A", "--jobs", "0"], "--jobs must be a number from 1 to 64"],
    [["mark", "contract.pdf", "--text", "A", "--jobs", "many"], "--jobs must be a number from 1 to 64"],
    [["buy", "contract.pdf", "--text", "A", "--max-total", "5"], "--max-total needs --each"],
    [["mark", "contract.pdf", "--image", "nowhere.png"], "nowhere.png: no such file"],
    [["mark", "contract.pdf", "--text", "A", "-o", "no/where.pdf"], "the folder no does not exist"],
    [["mark", "contract.pdf", CONTRACT, "--text", "A", "-o", "a.pdf"], "several files need a folder"],
    [["mark", "contract.pdf", CONTRACT, "--text", "A", "-o", "./"], "two results would be written to"],
    [["mark", "contract.pdf", CONTRACT, "--text", "A", "-o", "-"], "several files cannot go to standard output"],
    [["mark", "contract.pdf", "--text", "A", "-o", ""], "--output must not be empty"],
    [
      ["mark", "contract.pdf", "--text", "A", "-o", "-", "--json"],
      "overprint: --json and the PDF cannot both go to stdout",
    ],
    [["demo", "nowhere.pdf"], "nowhere.pdf: no such file"],
    [["demo", "--txt", "DRAFT"], "unknown option '--txt'"],
    [["demo", "--opacity", "2"], "--opacity must be a number from 0 to 1"],
    [["demo", "--image", "nowhere.png"], "nowhere.png: no such file"],
    [["dev", "--port", "http"], "--port must be a number"],
    [["dev", "--port", "0"], "--port must be a number"],
    [["dev", "--port", "65536"], "--port must be a number"],
    [["buy", "contract.pdf", "--text", "A", "--url", "ftp://x"], "--url must be an http(s) address"],
    [["buy", "contract.pdf", "--text", "A", "--url", "http://pdf.example.com"], "--url must be https"],
    [
      ["buy", "contract.pdf", "--text", "A", "--url", "https://pdf.example.com/v1"],
      "--url must be the address of the deployment without a path",
    ],
    [["buy", "contract.pdf", "--text", "A", "--url", "https://pdf.example.com"], "a key is needed"],
    [["buy", "contract.pdf", "--text", "A", "--max-price", "free"], "--max-price must be an amount"],
    [["buy", "contract.pdf", "--text", "A", "--network", "bas"], "--network must be one of base, base-sepolia"],
    [["pay"], "missing required argument 'url'"],
    [["pay", "127.0.0.1:8787"], "must be an http(s) address"],
  ])("overprint exits with code 2 and one line on stderr for the invalid arguments %j", async (args, what) => {
    const run = await cli(args);
    expect(run.code).toBe(2);
    expectOneLine(run, what);
    expect(await files()).toEqual(["contract.pdf"]);
  });

  test.each([
    ["a web page", "<html>", "This is a web page, not a PDF"],
    ["an image", "\x89PNG", "This is an image, not a PDF"],
    ["empty", "", "The file is empty"],
    ["a PDF without pages", "%PDF-1.4\n%%EOF", ""],
  ])("overprint exits with code 1 and one line on stderr if the source is %s", async (_, content, what) => {
    await writeFile(join(dir, "a.pdf"), content, "latin1");
    const run = await cli(["mark", "a.pdf", "--text", "A"]);
    expect(run.code).toBe(1);
    expectOneLine(run, `overprint: a.pdf: ${what}`);
    expect(await files()).toEqual(["a.pdf", "contract.pdf"]);
  });

  test("overprint mark reports an unsupported character or a damaged image before it reads any PDF", async () => {
    expectOneLine(await cli(["mark", "contract.pdf", "--text", "A\u{10ffd}"]), "U+10FFD");
    await writeFile(join(dir, "a.png"), "no image");
    for (const command of ["mark", "buy"])
      expectOneLine(await cli([command, "contract.pdf", "--image", "a.png"]), "overprint: a.png: This is neither");
  });

  test("the error message for a missing password names the flag --password", async () => {
    await writeFile(join(dir, "locked.pdf"), encryptedPage(VECTORS.find(({ user }) => user)!));
    const run = await cli(["mark", "locked.pdf", "--text", "A"]);
    expect(run.code).toBe(1);
    expectOneLine(run, "Send its user or owner password as `--password`");
  });

  test("--password-file reads the password from a file, and rejects a file that other users can read", async () => {
    const vector = VECTORS.find(({ user }) => user)!;
    await writeFile(join(dir, "locked.pdf"), encryptedPage(vector));
    await writeFile(join(dir, "password.txt"), `${vector.user}\n`, { mode: 0o600 });
    const mark = (...flags: string[]) => cli(["mark", "locked.pdf", "--text", "A", ...flags]);
    expect((await mark("--password-file", "password.txt")).code).toBe(0);
    expectOneLine(await mark("--password-file", "nowhere.txt"), "nowhere.txt: no such file");
    const both = await mark("--password-file", "password.txt", "--password", "A");
    expectOneLine(both, "--password and --password-file cannot be combined");
    await chmod(join(dir, "password.txt"), 0o644);
    const run = await mark("--password-file", "password.txt");
    expect(run.code).toBe(2);
    expectOneLine(run, "password.txt can be read by others: run `chmod 600 password.txt`");
  });

  test.each(["-", "a.pdf"])(
    "overprint mark reports a full disk if its standard output is redirected to that disk (with -o %s)",
    async (output) => {
      const command = `"$0" "${join(root, "cli/overprint.js")}" mark contract.pdf --text A -o ${output} > /dev/full`;
      const { status, stderr } = spawnSync("sh", ["-c", command, process.execPath], { cwd: dir, encoding: "utf8" });
      expect([status, stderr]).toEqual([1, "overprint: standard output: the disk is full\n"]);
    },
  );

  test("an error message of overprint omits the control characters of a file name", async () => {
    const run = await cli(["mark", "a\n\x1b[31mred.pdf", "--text", "A"]);
    expectOneLine(run, "a [31mred.pdf");
  });

  test("--json also prints an error as JSON on stdout", async () => {
    const { code, stdout, stderr } = await program(["mark", "nowhere.pdf", "--text", "A", "--json"]);
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toEqual({ error: { code: "no_file", message: expect.stringContaining("nowhere.pdf") } });
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });
});

describe("private keys", () => {
  const KEY = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
  const buy = (...args: string[]) => cli(["buy", "contract.pdf", "--text", "A", ...args]);

  test("overprint rejects a private key as an argument without printing the key", async () => {
    for (const args of [
      ["--key", KEY],
      ["--key-file", KEY],
    ]) {
      const run = await buy(...args);
      expect(run.code).toBe(2);
      expectOneLine(run, "--key-file");
      expect(run.stderr).not.toContain(KEY.slice(2, 20));
    }
  });

  test("overprint rejects a key file that other users can read", async () => {
    const path = join(dir, "key.txt");
    await writeFile(path, KEY);
    for (const mode of [0o644, 0o640, 0o604, 0o620]) {
      await chmod(path, mode);
      expectOneLine(await buy("--key-file", "key.txt"), "key.txt can be read by others: run `chmod 600 key.txt`");
    }
  });

  test.each([["nowhere.txt"], ["."], ["wrong.txt"], ["zero.txt"]])(
    "overprint rejects the invalid key file %s",
    async (name) => {
      await writeFile(join(dir, "wrong.txt"), `${KEY}00`, { mode: 0o600 });
      await writeFile(join(dir, "zero.txt"), `0x${"0".repeat(64)}`, { mode: 0o600 });
      const run = await buy("--key-file", name);
      expect(run.code).toBe(2);
      expectOneLine(run, name.endsWith("e.txt") || name === "." ? name : "contains no private key");
      expect(run.stderr).not.toContain(KEY.slice(2, 20));
    },
  );

  test("overprint rejects an invalid PRIVATE_KEY without printing the key", async () => {
    const run = await cli(["buy", "contract.pdf", "--text", "A"], { env: { PRIVATE_KEY: "secret" } });
    expectOneLine(run, "PRIVATE_KEY contains no private key");
    expect(run.stderr).not.toContain("secret");
  });
});

describe("the program on an old Node.js", () => {
  test("the program `overprint` in a clone passes its arguments to scripts/run.mjs if Node.js cannot run TypeScript", async () => {
    await mkdir(join(dir, "cli"));
    await mkdir(join(dir, "scripts"));
    await writeFile(join(dir, "package.json"), `{"type":"module"}`);
    await writeFile(join(dir, "cli/main.ts"), "");
    await writeFile(join(dir, "scripts/run.mjs"), "console.log(JSON.stringify(process.argv.slice(2)))");
    const copy = join(dir, "cli/overprint.js");
    await copyFile(join(root, "cli/overprint.js"), copy);
    const { code, stdout } = await program(["mark", "-"], { node: ["--no-experimental-strip-types"], program: copy });
    expect([code, JSON.parse(stdout)]).toEqual([0, [copy, "mark", "-"]]);
  });

  test("the packed program `overprint` names the Node.js version to install if it runs on an old Node.js", async () => {
    const copy = join(dir, "overprint.mjs");
    await copyFile(join(root, "cli/overprint.js"), copy);
    const old = `data:text/javascript,Object.defineProperty(process.versions,"node",{value:"20.19.0"})`;
    const run = await program(["--version"], { node: ["--import", old], program: copy });
    expect(run.code).toBe(1);
    expectOneLine(run, "Node.js 20.19.0 is too old. Install Node.js 22.12 or newer");
  });
});
