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

/** Yields a text in chunks, each gone when the next one is asked for. */
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

describe("a long file", () => {
  test.each([
    ["a data URI", { file: `data:application/pdf;base64,${base64}` }],
    ["one whose type is not ASCII", { file: `data:Ω;base64,${base64}` }],
    ["in base64url", { file: `DATA:;base64,${bytes.toBase64({ alphabet: "base64url" })}` }],
    ["in lines", { file: `data:;base64,${base64.replace(/.{76}/g, "$&\r\n")}` }],
    ["without padding", { file: `data:;base64,${base64.replaceAll("=", "")}` }],
    ["with white space behind its padding", { file: `data:;base64,${base64}${" ".repeat(100_000)}` }],
    ["an attachment's (MCP)", { params: { file: { name: 'a"\\', download_url: `data:;base64,${base64}` } } }],
    ["a resource's", { image: "x", file: { resource: { blob: base64 } } }],
  ])("is received as its bytes, %s, and is not in the text", async (_, value) => {
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
    "may have any letter escaped, in chunks of %i bytes",
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

  test("and a long image are two", async () => {
    const json = await read(`{"file":"data:;base64,${base64}","image":"${base64}"}`);
    const { file, image } = json.parse() as Record<string, unknown>;
    expect(json.tooLong).toBeUndefined();
    expect([file, image].every((found) => isEqual(contentOf(found), bytes))).toBe(true);
  });
});

const uri = (length: number) => "data:;base64,".padEnd(length, "A");

describe("what is no longer than a stranger's message is text,", () => {
  test("however it comes", async () => {
    const text = JSON.stringify({ file: uri(LONG_TEXT_BYTES), text: uri(LONG_TEXT_BYTES) });
    for (const chunkLength of [999, 100_000, 1_000_000]) expect((await read(text, chunkLength)).text).toBe(text);
  });

  test("and one byte more is a file", async () => {
    for (const chunkLength of [999, 100_000, 1_000_000]) {
      const { text } = await read(JSON.stringify({ file: uri(LONG_TEXT_BYTES + 1) }), chunkLength);
      expect(text.length).toBeLessThan(100);
    }
  });
});

describe("of a long string that is no file the beginning is left, for who tells what is wrong:", () => {
  test.each<[string, object]>([
    ["base64 as a PDF, which has to be a data URI", { file: base64 }],
    ["a path", { image: `/tmp/${base64}` }],
    ["a URL", { image: `https://example.com/${base64}` }],
    ["base64 in quotes", { image: `'${base64}'` }],
    ["another field", { text: uri(300_000) }],
    ["with an escape in its beginning", { text: `say "no"\n${base64}` }],
    ["a key", { [base64]: 1 }],
    ["a third file", { file: uri(300_000), image: base64, data: { file: uri(300_000) } }],
  ])("%s", async (_, value) => {
    for (const chunkLength of [1001, 1_000_000]) {
      const json = await read(JSON.stringify({ ...value, n: [1, '"'] }), chunkLength);
      expect(json.tooLong).toMatchObject({ code: "body_too_large" });
      expect(json.text.length).toBeLessThan(9000);
      expect(json.parse()).toMatchObject({ n: [1, '"'] });
    }
  });
});

/** What is told of the file in a text. */
async function refusalOf(text: string, chunkLength?: number, more?: object) {
  const json = await read(text, chunkLength, more);
  const { file, image } = json.parse() as Record<string, unknown>;
  const opening = { rules: { timeoutMs: 1, allowLoopback: false }, limits: limits(more), look: () => {} };
  const problem = openSource((file ?? image) as Upload, "file", opening).then(
    () => undefined,
    (error: Problem) => error,
  );
  return { text: json.text, problem: await problem };
}

/** Returns a data URI whose base64 is base64url from there on. */
function inTwoAlphabets(border: number): string {
  return (
    `data:a/b;base64,${base64}`.slice(0, border) +
    base64
      .slice(border - 16)
      .replaceAll("+", "-")
      .replaceAll("/", "_")
  );
}

describe("what is wrong with a file is told to who opens it:", () => {
  const others = `"text":"A","n":[1,"\\\\"]`;
  test.each([
    ["no base64", `data:;base64,${base64}ü`, "is not valid base64"],
    ["cut off in a group", `data:;base64,${base64.replaceAll("=", "")}AAA`, "is not valid base64"],
    ["another alphabet from a piece's end on", inTwoAlphabets(1 << 17), "is not valid base64"],
    ["more behind its padding", `data:;base64,${base64.padEnd(LONG_TEXT_BYTES * 2, "=")}A`, "is not valid base64"],
    ["no end of its type", `data:${base64}`, "must be a base64 data URI"],
    ["another encoding", `data:text/plain,${base64}`, "must be a base64 data URI"],
  ])("%s", async (_, file, words) => {
    for (const chunkLength of [1001, 100_000, 1_000_000]) {
      const { problem, text } = await refusalOf(`{"file":"${file}",${others}}`, chunkLength);
      expect(problem).toMatchObject({ code: "invalid_request", detail: expect.stringContaining(words) });
      expect(text).toMatch(/^\{"file":"[-0-9a-f]{36}","text":"A","n":\[1,"\\\\"\]\}$/);
    }
  });

  test("after one, none is kept", async () => {
    const json = await read(`{"file":"data:;base64,${base64}!","image":"${base64}"}`);
    const { file, image } = json.parse() as Record<string, unknown>;
    expect([file, image]).toEqual([expect.any(RefusedUpload), expect.any(RefusedUpload)]);
  });

  test("too large", async () => {
    const { problem } = await refusalOf(`{"file":"data:;base64,${base64}"}`, 1001, { maxBytes: 300_000 });
    expect(problem).toMatchObject({ code: "source_too_large" });
  });
});

test.each([
  ["an escape that there is not", "\\x"],
  ["a line break", "\n"],
  ["half an escape", "\\u00"],
])("a long file with %s is no JSON", async (_, wrong) => {
  for (const chunkLength of [1001, 1_000_000]) {
    const json = await read(`{"file":"data:;base64,${base64}${wrong}${base64}","text":"A"}`, chunkLength);
    expect(() => json.parse()).toThrow(SyntaxError);
  }
});

test("padding ends base64 wherever a chunk does", async () => {
  const long = "A".repeat(LONG_TEXT_BYTES);
  for (let cut = 0; cut < 8; cut++) {
    const text = `{"image":"${long}AA==AAAA"}`;
    const { problem } = await refusalOf(text, text.indexOf("AA==") + cut);
    expect([cut, problem?.code]).toEqual([cut, "invalid_request"]);
  }
});

test("a body that fails fails its reader, and one that ends within a file is no JSON", async () => {
  const beginning = `{"file":"data:;base64,${base64}`;
  const failing = (async function* () {
    yield* chunksOf(beginning);
    throw new Error("hung up");
  })();
  await expect(readJson(failing, limits())).rejects.toThrow("hung up");
  const cut = await read(beginning);
  expect(() => cut.parse()).toThrow(SyntaxError);
});

describe("of a body's memory", () => {
  const heldBy = (memory: MemoryShare) => pool.held.get(memory)?.bytes ?? 0;

  test("little more than its file's is held", async () => {
    const memory = new MemoryShare(pool, 60_000);
    await read(JSON.stringify({ file: `data:;base64,${base64}` }), 65_536, { memory });
    expect(heldBy(memory)).toBeLessThan(2 * bytes.length);
  });

  test("nothing of a file is held that goes to storage", async () => {
    const memory = new MemoryShare(pool, 60_000);
    let [length, most] = [0, 0];
    const keep = async (chunks: AsyncIterable<Uint8Array>) => {
      for await (const chunk of chunks) {
        length += chunk.length;
        most = Math.max(most, heldBy(memory));
      }
      return { length, read: async () => new Uint8Array(), async *stream() {} };
    };
    const file = `data:;base64,${"A".repeat(8_000_000)}`;
    const body = chunksOf(JSON.stringify({ file }));
    const json = await readJson(body, limits({ maxBytes: 1e7, memory, keep }), file.length);
    expect([length, json.tooLong]).toEqual([6_000_000, undefined]);
    expect(most).toBeLessThan(10_000);
  });

  test.each([
    ["strings", JSON.stringify(Array(5).fill("A".repeat(LONG_TEXT_BYTES)))],
    ["white space", "{}".padEnd(MAX_TEXT_BYTES + 1)],
  ])("there is some for its text, not for much: %s", async (_, text) => {
    await expect(read(text)).rejects.toMatchObject({ code: "body_too_large" });
  });

  test("there is none where others have it all", async () => {
    const others = Array.from({ length: 40 }, () => new MemoryShare(pool, 60_000));
    for (const share of others) while (share.take(1000));
    await expect(read("{}".padEnd(900_000))).rejects.toMatchObject({ code: "too_busy" });
    for (const share of others) share.release();
  });
});
