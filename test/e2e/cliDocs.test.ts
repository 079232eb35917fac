/** Compares docs/cli.md with the program's own descriptions of its commands. */

import { execFile } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { EXIT } from "../../cli/failure.ts";
import { programOf } from "../../cli/main.ts";

const root = join(import.meta.dirname, "../..");
const document = await readFile(join(root, "docs/cli.md"), "utf8");
const { commands } = programOf(process);

describe("docs/cli.md", () => {
  test("docs/cli.md lists every command with its arguments and summary", () => {
    const rows = Array.from(document.matchAll(/^\| `overprint (\w+)(.*?)` \| (.*) \|$/gm), ([, ...cells]) => cells);
    const own = commands.map((command) => {
      const args = command.registeredArguments.map((argument) => {
        const name = argument.name() + (argument.variadic ? "..." : "");
        return argument.required ? ` <${name}>` : ` [${name}]`;
      });
      return [command.name(), command.name() === "dev" ? "" : args.join(""), command.summary()];
    });
    expect(rows).toEqual(own);
  });

  test("docs/cli.md names every visible flag of the commands, and no other flag", () => {
    const own = new Set(
      commands.flatMap(({ options }) => options.flatMap(({ hidden, long }) => (hidden ? [] : [long!]))),
    );
    const named = new Set(Array.from(document.matchAll(/(--[a-z][a-z-]*)/g), ([, flag]) => flag!));
    named.delete("--help");
    own.delete("--port"); // Only the help of `dev` describes --port.
    expect([...named].sort()).toEqual([...own].sort());
  });

  test("docs/cli.md lists every exit code", () => {
    const rows = Array.from(document.matchAll(/^\| (\d+) \|/gm), ([, code]) => Number(code));
    expect(rows).toEqual([...Object.values(EXIT), 130]);
  });

  test("the commands in the first block of docs/cli.md each write a PDF", async () => {
    const [block] = Array.from(document.matchAll(/^```sh\n(.*?)^```$/gms), ([, text]) => text!);
    const own = `"${process.execPath}" "${join(root, "cli/overprint.js")}"`;
    const output = join(root, "out/cli-document.pdf");
    for (const line of block!.trim().split("\n")) {
      const command = line.replace("node cli/overprint.js", own).replace("marked.pdf", `"${output}"`);
      await promisify(execFile)("sh", ["-c", `mkdir -p out && ${command}`], { cwd: root });
      expect((await readFile(output)).subarray(0, 5).toString()).toBe("%PDF-");
      await rm(output);
    }
  });
});
