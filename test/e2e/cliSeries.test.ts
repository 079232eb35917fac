/** Tests `overprint mark` with folders, threads and the rows of a CSV file. */
import { once } from "node:events";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { samePages } from "../../bench/inputs.ts";
import { runCli, startCli } from "../support/cli.ts";

const root = join(import.meta.dirname, "../..");
const CONTRACT = join(root, "examples/contract.pdf");

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "overprint-series-"));
  await copyFile(CONTRACT, join(dir, "contract.pdf"));
  return () => rm(dir, { recursive: true, force: true });
});
const mark = (...args: string[]) => runCli(["mark", ...args], { cwd: dir });
/** Returns the bytes of the sample contract marked with a text. */
const markedWith = async (text: string) => (await mark("contract.pdf", "--text", text, "-o", "-")).bytes;
const read = (path: string) => readFile(join(dir, path));
const files = async () => (await readdir(dir, { recursive: true })).filter((path) => path.endsWith(".pdf")).sort();
const csv = (text: string | Uint8Array) => writeFile(join(dir, "names.csv"), text);

describe("folders", () => {
  beforeEach(async () => {
    await mkdir(join(dir, "all/2025/.hidden"), { recursive: true });
    for (const name of ["a.pdf", "2025/a.PDF", ".b.pdf", "2025/.hidden/c.pdf"])
      await copyFile(CONTRACT, join(dir, "all", name));
    await writeFile(join(dir, "all/notes.txt"), "text");
  });

  test("overprint mark writes the marked PDFs of a folder tree to the same subfolders, and skips hidden files", async () => {
    const { code, stdout } = await mark("all", "--text", "X", "-o", "new/");
    expect([code, stdout.trim().split("\n").length]).toEqual([0, 2]);
    expect((await readdir(join(dir, "new"), { recursive: true })).sort()).toEqual([
      "2025",
      "2025/a-watermarked.pdf",
      "a-watermarked.pdf",
    ]);
  });

  test("overprint mark skips its output folder inside the source folder, so that the command can run again", async () => {
    for (let run = 0; run < 2; run++)
      expect((await mark("all", "--text", "X", "-o", "all/marked/")).stdout.trim().split("\n")).toHaveLength(2);
    const { code, stderr } = await mark("all", "--text", "X");
    expect([code, stderr]).toEqual([0, ""]);
    const again = await mark("all", "--text", "X");
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining("is an input and would be replaced")]);
  });

  test("overprint mark rejects a folder without PDFs, and overprint buy rejects a folder with several PDFs", async () => {
    await mkdir(join(dir, "empty"));
    const none = await mark("empty", "--text", "X");
    expect([none.code, none.stderr]).toEqual([2, "overprint: empty: the folder contains no PDF\n"]);
    const two = await runCli(["buy", "all", "--text", "X"], { cwd: dir });
    expect([two.code, two.stderr]).toEqual([2, expect.stringContaining("all matches 2 files, but buy takes one")]);
  });
});

describe("--jobs", () => {
  test("overprint mark --jobs writes the same bytes as a single job, and reports each file", async () => {
    for (const name of ["a", "b", "c", "d"]) await copyFile(CONTRACT, join(dir, `${name}.pdf`));
    await writeFile(join(dir, "b.pdf"), "no PDF");
    const { code, stdout, stderr } = await mark("*.pdf", "--text", "X", "--jobs", "3", "-o", "out/", "--json");
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^overprint: b\.pdf: .*PDF/)]);
    const sources = (JSON.parse(stdout).files as { source: string; error?: object }[]).map(({ source }) => source);
    expect(sources).toEqual(["a.pdf", "b.pdf", "c.pdf", "contract.pdf", "d.pdf"]);
    expect(await readdir(join(dir, "out"))).toHaveLength(4);
    expect(Buffer.compare(await read("out/d-watermarked.pdf"), await markedWith("X"))).toBe(0);
  });

  test("overprint mark --jobs leaves no partial file when Ctrl-C stops it", async () => {
    const large = samePages(200, 400_000);
    await mkdir(join(dir, "large"));
    for (const name of ["a", "b"]) await writeFile(join(dir, `large/${name}.pdf`), large);
    const child = startCli(["mark", "large", "--text", "X", "--jobs", "2"], { cwd: dir });
    const there = () => readdir(join(dir, "large"));
    await vi.waitFor(async () => expect((await there()).length).toBeGreaterThan(2), { timeout: 20_000, interval: 1 });
    child.kill("SIGINT");
    const [code] = await once(child, "close");
    expect([code, (await there()).filter((name) => name.startsWith("."))]).toEqual([130, []]);
  });
});

describe("overprint mark --each", () => {
  test("overprint mark --each writes one result for each row, with CSV columns in the text and in the path", async () => {
    await csv('name,First year\n"Smith, A.",2024\n\nBen Jones,2025\n');
    const flags = ["--each", "names.csv", "--text", "{name} {First year} {page}/{pages}", "-o", "copies/{name}.pdf"];
    const { code, stdout, stderr } = await mark("contract.pdf", ...flags);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^copies\/Smith, A\.pdf: 4 pages, .*\ncopies\/Ben Jones\.pdf: 4 pages, .*\n$/);
    expect(await read("copies/Ben Jones.pdf")).toEqual(await markedWith("Ben Jones 2025 {page}/{pages}"));
  });

  test("overprint mark --each writes one result for each combination of file and row, in threads too", async () => {
    await csv("name\nA\nB\n");
    await copyFile(CONTRACT, join(dir, "b.pdf"));
    const flags = ["--each", "names.csv", "--text", "{name}", "-o", "out/{name}/", "--jobs", "2"];
    expect((await mark("b.pdf", "contract.pdf", ...flags)).code).toBe(0);
    expect(await files()).toEqual([
      "b.pdf",
      "contract.pdf",
      ...["A", "B"].flatMap((name) => [`out/${name}/b-watermarked.pdf`, `out/${name}/contract-watermarked.pdf`]),
    ]);
    expect(await read("out/B/b-watermarked.pdf")).toEqual(await markedWith("B"));
  });

  test("overprint mark --each names the results after the value of --filename", async () => {
    await csv("name\nA\nB\n");
    await mark("contract.pdf", "--each", "names.csv", "--text", "{name}", "--filename", "for {name}");
    expect(await files()).toEqual(["contract.pdf", "for A.pdf", "for B.pdf"]);
  });

  test.each([
    [";", "name;note\nA;1,5\n"],
    ["; and a quoted comma", '"name";"note";"a, b"\nA;1,5;\n;;\n'],
    ["tab", "name\tnote\r\nA\t1,5\r\n"],
    [", with a byte order mark", '\ufeffname,note\n"A","1,5"\n'],
  ])("overprint mark --each reads a CSV file with the separator %s", async (_, text) => {
    await csv(text);
    await mark("contract.pdf", "--each", "names.csv", "--text", "{name} {note}", "-o", "{name}.pdf");
    expect(await read("A.pdf")).toEqual(await markedWith("A 1,5"));
  });

  test("overprint mark --each prints a CSV value unchanged, even if it resembles a placeholder", async () => {
    await csv("name,text\nA,{page} {{ {x}\n");
    expect((await mark("contract.pdf", "--each", "names.csv", "--text", "{text}", "-o", "{name}.pdf")).code).toBe(0);
    expect(await read("A.pdf")).toEqual(await markedWith("{{page} {{{{ {{x}"));
  });

  test.each([
    ["../../A", "A.pdf"],
    ["/etc/A", "etc-A.pdf"],
    ["..", undefined],
    ["-", undefined],
    ["A\\B:C", "A-B-C.pdf"],
    ["A\u202eB", "A-B.pdf"],
    [".A", "A.pdf"],
  ])("overprint mark --each never lets a CSV value change the result's folder: %j", async (value, name) => {
    await csv(`name\n"${value}"\n`);
    const run = await mark("contract.pdf", "--each", "names.csv", "--text", "{name}", "-o", "out/{name}.pdf");
    if (name) expect(await files()).toEqual(["contract.pdf", `out/${name}`]);
    else {
      expect([run.code, run.stderr]).toEqual([2, expect.stringContaining("cannot be part of a name")]);
      expect(await files()).toEqual(["contract.pdf"]);
    }
  });

  test.each([
    ["name\nA\n", ["--text", "{nam}"], "{nam} in --text is neither a column (name) nor a placeholder"],
    ["name\nA\n", ["--text", "{First name}"], "{First name} in --text is neither a column"],
    ["date\nA\n", ["--text", "{date}"], "{date} in --text is a column and also a placeholder"],
    ["name\nA\n", ["--text", "X {page}"], "--each needs a column of names.csv in --text, such as {name}"],
    ["name\nA\n", ["--image", "logo.png"], "--each needs a column of names.csv in --text"],
    ["name\nA\n", ["--text", "{name}", "-o", "{nam}.pdf"], "{nam} in --output is not a column (name)"],
    ["name\nA\nB\n", ["--text", "{name}", "-o", "a.pdf"], "written to a.pdf: put a column of names.csv into --output"],
    ["name\nA\nA\n", ["--text", "{name}", "-o", "{name}.pdf"], "two results would be written to A.pdf"],
    ["name\nA\n", ["--text", "{name}", "-o", "-"], "several files cannot go to standard output"],
    ["name\nA\n", ["--text", "{name}", "-o", "names.csv"], "names.csv is an input and would be replaced"],
    ["name\nA\n\u{10ffd}\n", ["--text", "{name}", "-o", "{name}.pdf"], "names.csv, row 2: "],
    ["name\nA\n\n ,\n", ["--text", "{name}", "-o", "{name}.pdf"], "names.csv: Invalid Record Length"],
    ['name\n"A\n', ["--text", "{name}"], "names.csv: Quote Not Closed"],
    ["name,name\nA,B\n", ["--text", "{name}"], "names.csv: two columns have the name name"],
    ["name\n", ["--text", "{name}"], "names.csv: the file has no rows below its first line"],
    ["", ["--text", "{name}"], "names.csv: the file has no rows below its first line"],
    [new Uint8Array([0x6e, 10, 0xfc, 10]), ["--text", "{n}"], "names.csv: the file is not UTF-8"],
  ])("overprint mark --each rejects %j with the flags %j before it writes any result", async (text, flags, what) => {
    await csv(text);
    const run = await mark("contract.pdf", "--each", "names.csv", ...flags);
    expect([run.code, run.stderr.trim().split("\n")]).toEqual([expect.any(Number), [expect.stringContaining(what)]]);
    expect(run.code).toBeGreaterThan(0);
    expect(await files()).toEqual(["contract.pdf"]);
  });

  test("overprint mark --each reports a missing CSV file, and rejects a PDF from standard input", async () => {
    expect((await mark("contract.pdf", "--each", "a.csv", "--text", "{a}")).stderr).toContain("a.csv: no such file");
    expect((await mark("-", "--each", "a.csv", "--text", "{a}")).stderr).toContain("--each needs a file");
  });
});

test("overprint mark --dry-run prints the path, page count and size of each planned result, and writes nothing", async () => {
  await csv("name\nA\nB\n");
  await writeFile(join(dir, "b.pdf"), "%PDF-1.4\n%%EOF");
  const flags = ["--each", "names.csv", "--text", "{name}", "-o", "new/{name}/", "--dry-run"];
  const { code, stdout } = await mark("contract.pdf", ...flags);
  const { length } = await markedWith("A");
  const line = `new/A/contract-watermarked.pdf: 4 pages, ${length.toLocaleString("en")} bytes (not written)`;
  expect([code, stdout.split("\n")[0]]).toEqual([0, line]);
  const broken = await mark("b.pdf", ...flags, "--json");
  expect([broken.code, JSON.parse(broken.stdout)]).toMatchObject([1, { dry_run: true, files: [{}, {}] }]);
  expect(await files()).toEqual(["b.pdf", "contract.pdf"]);
});
