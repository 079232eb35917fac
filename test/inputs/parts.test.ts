import { describe, expect, test } from "vitest";
import { partsOf } from "../../src/inputs/parts.ts";

const TYPE = "multipart/form-data; boundary=b-1";

/**
 * Yields bytes in pieces. A piece ends at each offset for which `isCut` returns true. Overwrites a piece when the next
 * piece is requested.
 */
async function* cut(bytes: Uint8Array, isCut: (at: number) => boolean): AsyncGenerator<Uint8Array> {
  let start = 0;
  for (let at = 1; at <= bytes.length; at++)
    if (at === bytes.length || isCut(at)) {
      const piece = Uint8Array.from(bytes.subarray(start, at));
      yield piece;
      piece.fill(0);
      start = at;
    }
}

/**
 * Reads all parts of a form. Returns the name of each part, whether the part is a file, and the part's bytes in
 * Latin-1.
 */
async function read(body: string, isCut: (at: number) => boolean = () => false, type = TYPE) {
  const parts: [string, boolean, string][] = [];
  for await (const { name, isFile, data } of partsOf(cut(Buffer.from(body, "latin1"), isCut), type)) {
    let text = "";
    for await (const piece of data) text += Buffer.from(piece).toString("latin1");
    parts.push([name, isFile, text]);
  }
  return parts;
}

const part = (disposition: string, data: string, more = "") =>
  `--b-1\r\nContent-Disposition: form-data; ${disposition}\r\n${more}\r\n${data}\r\n`;

/** Byte sequences that begin like the delimiter of a part but differ from it. */
const NEARLY = "\r\n--b\r\r\n\r\n--b-\r\n-\r\n--b-2\r\n\r\n--";
const FORM = `a preamble\r\n${part('name="file"; filename="a.pdf"', NEARLY)}${part('name="empty"', "")}${part('name="text"', "--b-1 \r\n--b-0")}--b-1--\r\nan epilogue`;
const PARTS = [
  ["file", true, NEARLY],
  ["empty", false, ""],
  ["text", false, "--b-1 \r\n--b-0"],
];

describe("partsOf", () => {
  test("partsOf finds the same parts of a form wherever the form is split into two chunks", async () => {
    for (let place = 1; place < FORM.length; place++) expect(await read(FORM, (at) => at === place)).toEqual(PARTS);
  });

  test("partsOf finds the same parts of a form in chunks of 1 to 39 bytes", async () => {
    for (let size = 1; size < 40; size++) expect(await read(FORM, (at) => at % size === 0)).toEqual(PARTS);
  });

  test("partsOf finds the same parts of random forms as the runtime's form parser", async () => {
    let seed = 1;
    const random = (below: number) => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
      return (seed >>> 8) % below;
    };
    const ALPHABET = ["\r", "\n", "-", "b", "1", "\r\n--b", "a"];
    for (let form = 0; form < 200; form++) {
      const data = () => Array.from({ length: random(12) }, () => ALPHABET[random(ALPHABET.length)]).join("");
      const fields = Array.from({ length: random(4) }, (_, at) => [`f${at}`, data().replaceAll("--b-1", "")] as const);
      const body = `${fields.map(([name, text]) => part(`name="${name}"; filename="x"`, text)).join("")}--b-1--\r\n`;
      const ours = await read(body, () => random(5) === 0);
      const response = new Response(Buffer.from(body, "latin1"), { headers: { "Content-Type": TYPE } });
      const theirs = await Promise.all(
        Array.from(await response.formData(), async ([name, value]) => [name, true, await (value as File).text()]),
      );
      expect(ours).toEqual(theirs);
    }
  });

  test.each([
    ["a quoted boundary", 'multipart/form-data; charset=utf-8; boundary="b-1"'],
    ["capital letters", "Multipart/Form-Data; BOUNDARY=b-1"],
    ["further parameters", "multipart/form-data; boundary=b-1; charset=utf-8"],
  ])("partsOf finds the parts of a body whose Content-Type has %s", async (_, type) => {
    expect(await read(FORM, undefined, type)).toEqual(PARTS);
  });

  test.each([
    ["no boundary", "has no boundary", FORM, "multipart/form-data"],
    ["an empty boundary", "has no boundary", FORM, 'multipart/form-data; boundary=""'],
    ["no content", "ends early", "", TYPE],
    ["another boundary", "ends early", FORM.replaceAll("b-1", "c"), TYPE],
    ["no closing delimiter", "ends early", FORM.slice(0, FORM.lastIndexOf("\r\n--b-1--")), TYPE],
    ["a part whose headers do not end", "ends early", "--b-1\r\nContent-Disposition: form-data", TYPE],
    ["a part without a name", "has a part without a name", `${part("filename=a", "")}--b-1--`, TYPE],
    ["a part without headers", "has a part without a name", "--b-1\r\n\r\nabc\r\n--b-1--", TYPE],
    ["long headers", "has a part with long headers", part('name="a"', "", `X: ${"a".repeat(5000)}\r\n`), TYPE],
    ["endless headers", "has a part with long headers", `--b-1\r\n${"a".repeat(100_000)}`, TYPE],
  ])("partsOf rejects a multipart body with %s", async (_, message, body, type) => {
    await expect(read(body, (at) => at % 999 === 0, type)).rejects.toThrow(message);
  });

  test("partsOf closes the body if the caller stops reading within a part", async () => {
    let isOpen = true;
    const body = (async function* () {
      try {
        yield Buffer.from(FORM, "latin1");
        yield Buffer.alloc(1);
      } finally {
        isOpen = false;
      }
    })();
    for await (const { name } of partsOf(body, TYPE)) {
      expect(name).toBe("file");
      break;
    }
    expect(isOpen).toBe(false);
  });
});
