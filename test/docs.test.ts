import { describe, expect, test } from "vitest";
import tolerance from "../docs/pdf-tolerance.md?raw";
import readme from "../README.md?raw";
import { IMAGE_POSITIONS, POSITIONS, TEMPLATES } from "../src/engine/index.ts";
import { imageRequest, textRequest } from "../src/service/schemas.ts";

const TESTS = import.meta.glob("./**/*.test.ts", { query: "?raw", import: "default", eager: true });
const SOURCES = import.meta.glob("../src/engine/pdf/*.ts", { query: "?raw", import: "default", eager: true });

/** The rows of its tables: what is wrong, what the engine does, why, where, and the tests that hold it. */
const rows = tolerance
  .split("\n")
  .filter((line) => line.startsWith("| ") && !/^\| (what is wrong|---)/.test(line))
  .map((line) => line.split("|").slice(1, -1));
const quoted = (cell = "") => Array.from(cell.matchAll(/`([^`]+)`/g), ([, text]) => text!);

/** The README's rows on an operation's fields: the names of each row's first cell, and the row. */
function fieldRows(operation: "text" | "image") {
  const section = readme.split(`### \`POST /v1/watermark/${operation}\``)[1]!.split("\n#")[0]!;
  const lines = section.split("\n").filter((line) => line.startsWith("| `"));
  return new Map(lines.flatMap((line) => quoted(line.split("|")[1]).map((name) => [name, line] as const)));
}

describe("README.md names", () => {
  test("every field of a text mark, and no other", () => {
    expect([...fieldRows("text").keys()].sort()).toEqual(Object.keys(textRequest.shape).sort());
  });

  test("every field of an image mark, and no other", () => {
    expect([...fieldRows("image").keys()].sort()).toEqual(Object.keys(imageRequest.shape).sort());
  });

  test("every template", () => {
    expect(quoted(fieldRows("text").get("template")!.split("|")[2])).toEqual(Object.keys(TEMPLATES));
  });

  test("every position, and which of them an image has not", () => {
    expect(quoted(fieldRows("text").get("position")!.split("|")[2])).toEqual(POSITIONS);
    const lacking = quoted(fieldRows("image").get("position")!.split("|")[2]);
    expect(lacking).toEqual(POSITIONS.filter((position) => !IMAGE_POSITIONS.some((other) => other === position)));
  });
});

describe("docs/pdf-tolerance.md", () => {
  test("has rows of five columns", () => {
    expect(rows.length).toBeGreaterThan(100);
    expect(rows.filter((row) => row.length !== 5)).toEqual([]);
  });

  test.each(rows.map((row) => [row[0]!.trim(), ...row.slice(3)]))(
    "says where, and by which test: %s",
    (_, where, tests) => {
      for (const file of quoted(where)) expect(SOURCES[`../src/engine/pdf/${file}`], file).toBeDefined();
      expect(quoted(tests).length).toBeGreaterThan(0);
      for (const reference of quoted(tests)) {
        const [, file, names = ""] = /^([\w/]+\.test\.ts): (.+)$/.exec(reference) ?? [];
        const paths = Object.keys(TESTS).filter((path) => path.endsWith(`/${file}`));
        expect(paths, `files of ${reference}`).toHaveLength(1);
        // A name is a text of its own there, in whichever quotes.
        const isThere = (name: string) => [`"${name}"`, `\`${name}\``].some((text) => TESTS[paths[0]!]!.includes(text));
        expect(
          names.split(" > ").filter((name) => !isThere(name)),
          `names not in ${file}`,
        ).toEqual([]);
      }
    },
  );
});
