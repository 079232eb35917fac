import { describe, expect, test } from "vitest";
import { LONG_TEXT_BYTES, MAX_TEXT_BYTES } from "../../src/inputs/inlineFile.ts";
import { readJson } from "../../src/inputs/json.ts";
import { MemoryPool, MemoryShare } from "../../src/inputs/memory.ts";
import { RefusedUpload } from "../../src/inputs/refusedUpload.ts";
import { openSource } from "../../src/inputs/source.ts";
import { Upload } from "../../src/inputs/upload.ts";
import type { Problem } from "../../src/shared/problems.ts";
import { sha256 } from "../../src/shared/sha256.ts";
import { isEqual, noise } from "../support/bytes.ts";
import { limitsOf } from "../support/limits.ts";

const bytes = noise(300_001);
const base64 = bytes.toBase64();
const pool = new MemoryPool(64_000_000);
const limits = (more = {}) => {
  const memory = new MemoryShare(pool, 60_000);
  return limitsOf({ maxBytes: 1e6, inMemoryBytes: 1e6, memory, ...more });
};

/** Yields a text in chunks. Overwrites each chunk when the caller requests the next chunk. */
async function* chunksOf(text: string, length = 65_536): AsyncGenerator<Uint8Array> {
  const body = Buffer.from(text);
  for (let at = 0; at < body.length; at += length) {
    const chunk = new Uint8Array(body.subarray(at, at + length));
    yield chunk;
    chunk.fill(0x22);
  }
}
const read = (text: string, chunkLength?: number, more = {}) => readJson(chunksOf(text, chunkLength), limits(more));

const contentOf = (file: unknown) => (file as Upload).received.content as Uint8Array;

describe("readJson and long files", () => {
  test.each([
    ["a data URI", { file: `data:application/pdf;base64,${base64}` }],
    ["a data URI with a non-ASCII type", { file: `data:Ω;base64,${base64}` }],
    ["bare base64", { file: base64 }],
    ["base64url", { file: `DATA:;base64,${bytes.toBase64({ alphabet: "base64url" })}` }],
    ["base64 in lines", { file: `data:;base64,${base64.replace(/.{76}/g, "$&\r\n")}` }],
    ["base64 without padding", { file: `data:;base64,${base64.replaceAll("=", "")}` }],
    ["base64 with white space after its padding", { file: `data:;base64,${base64}${" ".repeat(100_000)}` }],
    ["an attachment (MCP)", { params: { file: { name: 'a"\\', download_url: `data:;base64,${base64}` } } }],
    ["an embedded resource (MCP)", { image: "x", file: { resource: { blob: base64 } } }],
  ])("readJson returns a long file as bytes and removes it from the JSON text: %s", async (_, value) => {
    const json = await read(JSON.stringify(value), 10_007);
    expect(json.text.length).toBeLessThan(200);
    const files: unknown[] = [];
    const rest = JSON.stringify(json.parse(), (_, found) => (found instanceof Upload ? files.push(found) : found));
    expect(rest).toBe(JSON.stringify(value, (_, text) => (String(text).length > LONG_TEXT_BYTES ? 1 : text)));
    const [file] = files;
    expect(isEqual(contentOf(file), bytes)).toBe(true);
    expect((file as Upload).sha256).toBe(await sha256(bytes));
  });

  test.each([1000, 1001, 1002, 1003, 1004, 1005, 65_536, 1_000_000])(
    "readJson decodes a long data URI with escaped letters in chunks of %i bytes",
    async (chunkLength) => {
      const escaped = base64.replace(/[/+A]/g, (letter) =>
        letter === "/" ? "\\/" : `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
      );
      const text = `{"file":"data:application\\/pdf;base64,${escaped}","text":"\\"A\\\\"}`;
      const fields = (await read(text, chunkLength)).parse() as { text: string; file: unknown };
      expect(fields.text).toBe('"A\\');
      expect(isEqual(contentOf(fields.file), bytes)).toBe(true);
    },
  );

  test("readJson returns a long file and a long image of the same body as bytes", async () => {
    const json = await read(`{"file":"data:;base64,${base64}","image":"${base64}"}`);
    const { file, image } = json.parse() as Record<string, unknown>;
    expect(json.tooLong).toBeUndefined();
    expect([file, image].every((found) => isEqual(contentOf(found), bytes))).toBe(true);
  });
});

const uri = (length: number) => "data:;base64,".padEnd(length, "A");

describe("readJson and the length limit of strings", () => {
  test("readJson leaves a data URI of exactly LONG_TEXT_BYTES in the JSON text for any chunk size", async () => {
    const text = JSON.stringify({ file: uri(LONG_TEXT_BYTES), text: uri(LONG_TEXT_BYTES) });
    for (const chunkLength of [999, 100_000, 1_000_000]) expect((await read(text, chunkLength)).text).toBe(text);
  });

  test("readJson returns a data URI as a file if it is one byte longer than LONG_TEXT_BYTES", async () => {
    for (const chunkLength of [999, 100_000, 1_000_000]) {
      const { text } = await read(JSON.stringify({ file: uri(LONG_TEXT_BYTES + 1) }), chunkLength);
      expect(text.length).toBeLessThan(100);
    }
  });
});

describe("readJson and long strings that are not files", () => {
  test.each<[string, object]>([
    ["a path", { image: `/tmp/${base64}` }],
    ["a URL", { image: `https://example.com/${base64}` }],
    ["base64 in quotes", { image: `'${base64}'` }],
    ["a text field", { text: uri(300_000) }],
    ["a text with an escape at its beginning", { text: `say "no"\n${base64}` }],
    ["a key", { [base64]: 1 }],
    ["a third file", { file: uri(300_000), image: base64, data: { file: uri(300_000) } }],
  ])(
    "readJson truncates a long string that it does not receive as a file, and reports body_too_large: %s",
    async (_, value) => {
      for (const chunkLength of [1001, 1_000_000]) {
        const json = await read(JSON.stringify({ ...value, n: [1, '"'] }), chunkLength);
        expect(json.tooLong).toMatchObject({ code: "body_too_large" });
        expect(json.text.length).toBeLessThan(9000);
        expect(json.parse()).toMatchObject({ n: [1, '"'] });
      }
    },
  );
});

/** Reads a JSON text and opens its file. Returns the problem that opening the file throws. */
async function refusalOf(text: string, chunkLength?: number, more?: object) {
  const json = await read(text, chunkLength, more);
  const { file, image } = json.parse() as Record<string, unknown>;
  const opening = { rules: { timeoutMs: 1, allowLoopback: false }, limits: limits(more), inspect: () => {} };
  const problem = openSource((file ?? image) as Upload, "file", opening).then(
    () => undefined,
    (error: Problem) => error,
  );
  return { text: json.text, problem: await problem };
}

/** Returns a data URI that switches from base64 to base64url at the offset `border`. */
function inTwoAlphabets(border: number): string {
  return (
    `data:a/b;base64,${base64}`.slice(0, border) +
    base64
      .slice(border - 16)
      .replaceAll("+", "-")
      .replaceAll("/", "_")
  );
}

describe("readJson and malformed files", () => {
  const others = `"text":"A","n":[1,"\\\\"]`;
  test.each([
    ["base64 with an invalid character", `data:;base64,${base64}ü`, "is not valid base64"],
    [
      "base64 that ends within a group of four characters",
      `data:;base64,${base64.replaceAll("=", "")}AAA`,
      "is not valid base64",
    ],
    ["base64 that continues in the base64url alphabet", inTwoAlphabets(1 << 17), "is not valid base64"],
    ["data after the padding", `data:;base64,${base64.padEnd(LONG_TEXT_BYTES * 2, "=")}A`, "is not valid base64"],
    ["a media type without an end", `data:${base64}`, "must be a base64 data URI"],
    ["another encoding", `data:text/plain,${base64}`, "must be a base64 data URI"],
  ])(
    "readJson accepts a body with a malformed file, whose error appears when the file is opened: %s",
    async (_, file, words) => {
      for (const chunkLength of [1001, 100_000, 1_000_000]) {
        const { problem, text } = await refusalOf(`{"file":"${file}",${others}}`, chunkLength);
        expect(problem).toMatchObject({ code: "invalid_request", detail: expect.stringContaining(words) });
        expect(text).toMatch(/^\{"file":"[-0-9a-f]{36}","text":"A","n":\[1,"\\\\"\]\}$/);
      }
    },
  );

  test("readJson stores no further file of a body after a malformed file", async () => {
    const json = await read(`{"file":"data:;base64,${base64}!","image":"${base64}"}`);
    const { file, image } = json.parse() as Record<string, unknown>;
    expect([file, image]).toEqual([expect.any(RefusedUpload), expect.any(RefusedUpload)]);
  });

  test("readJson rejects a long file over the size limit with source_too_large", async () => {
    const { problem } = await refusalOf(`{"file":"data:;base64,${base64}"}`, 1001, { maxBytes: 300_000 });
    expect(problem).toMatchObject({ code: "source_too_large" });
  });
});

test.each([
  ["an unknown escape", "\\x"],
  ["a line break", "\n"],
  ["half an escape", "\\u00"],
])("parsing the result of readJson throws a SyntaxError if a long file contains %s", async (_, wrong) => {
  for (const chunkLength of [1001, 1_000_000]) {
    const json = await read(`{"file":"data:;base64,${base64}${wrong}${base64}","text":"A"}`, chunkLength);
    expect(() => json.parse()).toThrow(SyntaxError);
  }
});

test("readJson rejects data after base64 padding, wherever the chunk boundary is", async () => {
  const long = "A".repeat(LONG_TEXT_BYTES);
  for (let cut = 0; cut < 8; cut++) {
    const text = `{"image":"${long}AA==AAAA"}`;
    const { problem } = await refusalOf(text, text.indexOf("AA==") + cut);
    expect([cut, problem?.code]).toEqual([cut, "invalid_request"]);
  }
});

test("readJson throws if the body cannot be read, and its parse() throws if the JSON is cut off inside a base64 file", async () => {
  const beginning = `{"file":"data:;base64,${base64}`;
  const failing = (async function* () {
    yield* chunksOf(beginning);
    throw new Error("hung up");
  })();
  await expect(readJson(failing, limits())).rejects.toThrow("hung up");
  const cut = await read(beginning);
  expect(() => cut.parse()).toThrow(SyntaxError);
});

describe("memory use of readJson", () => {
  const heldBy = (memory: MemoryShare) => pool.held.get(memory)?.bytes ?? 0;

  test("readJson uses less memory than twice the size of a file that stays in memory", async () => {
    const memory = new MemoryShare(pool, 60_000);
    await read(JSON.stringify({ file: `data:;base64,${base64}` }), 65_536, { memory });
    expect(heldBy(memory)).toBeLessThan(2 * bytes.length);
  });

  test("readJson uses almost no memory for a file that it moves to storage", async () => {
    const memory = new MemoryShare(pool, 60_000);
    let [length, most] = [0, 0];
    const store = async (chunks: AsyncIterable<Uint8Array>) => {
      for await (const chunk of chunks) {
        length += chunk.length;
        most = Math.max(most, heldBy(memory));
      }
      return { length, read: async () => new Uint8Array(), async *stream() {} };
    };
    const file = `data:;base64,${"A".repeat(8_000_000)}`;
    const body = chunksOf(JSON.stringify({ file }));
    const json = await readJson(body, limits({ maxBytes: 1e7, memory, store }), file.length);
    expect([length, json.tooLong]).toEqual([6_000_000, undefined]);
    expect(most).toBeLessThan(10_000);
  });

  test.each([
    ["strings", JSON.stringify(Array(5).fill("A".repeat(LONG_TEXT_BYTES)))],
    ["white space", "{}".padEnd(MAX_TEXT_BYTES + 1)],
  ])("readJson rejects a JSON text of more than MAX_TEXT_BYTES with body_too_large: %s", async (_, text) => {
    await expect(read(text)).rejects.toMatchObject({ code: "body_too_large" });
  });

  test("readJson rejects a long text with too_busy if other calls use all memory", async () => {
    const others = Array.from({ length: 40 }, () => new MemoryShare(pool, 60_000));
    for (const share of others) while (share.take(1000));
    await expect(read("{}".padEnd(900_000))).rejects.toMatchObject({ code: "too_busy" });
    for (const share of others) share.release();
  });
});
