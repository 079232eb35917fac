import { afterEach, describe, expect, it, vi } from "vitest";
import type { RangeReader } from "../../src/engine/index.ts";
import { LONG_TEXT_BYTES } from "../../src/inputs/inlineFile.ts";
import { readForm } from "../../src/inputs/multipart.ts";
import { Upload } from "../../src/inputs/upload.ts";
import { sha256 } from "../../src/shared/sha256.ts";
import { type SpooledFile, spool } from "../../src/storage/spool.ts";
import { isEqual, noise } from "../support/bytes.ts";
import { limitsOf } from "../support/limits.ts";
import { bucket, emptyBucket, storedKeys } from "../support/storage.ts";

afterEach(emptyBucket);

const storedFiles: SpooledFile[] = [];
const store = async (chunks: AsyncIterable<Uint8Array>) => {
  const file = await spool(bucket, chunks);
  storedFiles.push(file);
  return file;
};
const limitsOfForm = () => ({
  file: limitsOf({ maxBytes: 20_000_000, store }),
  image: limitsOf({ maxBytes: 10_000_000, inMemoryBytes: 10_000_000 }),
});
const deleteStored = () => Promise.all(storedFiles.splice(0).map((file) => file.delete()));
const spooled = async () => (await storedKeys()).length;

function read(entries: [string, string | Blob][], change = (body: Uint8Array) => body) {
  const form = new FormData();
  for (const [name, value] of entries) form.append(name, value);
  const response = new Response(form);
  return readBytes(response.bytes().then(change), response.headers.get("Content-Type")!);
}

/**
 * Reads a form in chunks that split the boundaries between parts. Overwrites each chunk when the next chunk is
 * requested.
 */
async function readBytes(body: Promise<Uint8Array>, contentType: string, announced?: number) {
  const bytes = await body;
  const chunks = (async function* () {
    for (let at = 0; at < bytes.length; at += 4093) {
      const chunk = bytes.slice(at, at + 4093);
      yield chunk;
      chunk.fill(0);
    }
  })();
  const { fields, tooLong } = await readForm(chunks, contentType, limitsOfForm(), announced);
  if (tooLong) throw tooLong;
  return fields;
}

describe("readForm", () => {
  it("readForm returns text fields unchanged", async () => {
    expect(
      await read([
        ["text", "Zür\r\n機密"],
        ["opacity", "0.5"],
        ["constructor", ""],
      ]),
    ).toEqual({ text: "Zür\r\n機密", opacity: "0.5", constructor: "" });
  });

  it.each([0, 1, 1000])("readForm keeps an upload of %i bytes in memory", async (length) => {
    const { file } = await read([["file", new Blob([noise(length)])]]);
    expect(file).toBeInstanceOf(Upload);
    expect((file as Upload).received.content).toEqual(noise(length));
    expect((file as Upload).sha256).toBe(await sha256(noise(length)));
    expect(await spooled()).toBe(0);
  });

  it("readForm moves an upload of 9 MB to storage and hashes its bytes", async () => {
    const bytes = noise(9_000_000);
    const { file } = (await read([
      ["file", new Blob([bytes])],
      ["text", "after it"],
    ])) as { file: Upload };
    expect(file.sha256).toBe(await sha256(bytes));
    const stored = file.received.content as RangeReader;
    expect(isEqual(await stored.read(0, bytes.length), bytes)).toBe(true);
    expect(await spooled()).toBe(1);
    await deleteStored();
    expect(await spooled()).toBe(0);
  });

  it("readForm streams the PDF of a long form to storage from the first byte, but keeps the image in memory", async () => {
    const form = new FormData();
    for (const name of ["image", "file"]) form.set(name, new Blob([noise(100)]));
    const { body, headers } = new Response(form);
    const fields = await readBytes(new Response(body).bytes(), headers.get("Content-Type")!, 10_000_001);
    const { image, file } = fields as Record<string, Upload>;
    expect(image!.received.content).toEqual(noise(100));
    expect(file!.received.content).not.toBeInstanceOf(Uint8Array);
    expect(await spooled()).toBe(1);
    await deleteStored();
  });

  it("readForm accepts a long data URI as the file and long base64 as the image", async () => {
    const [pdf, png] = [noise(9_000_000), noise(300_000)];
    const fields = await read([
      ["file", `data:application/pdf;base64,${pdf.toBase64()}`],
      ["image", png.toBase64()],
      ["text", "after it"],
    ]);
    const { image, file } = fields as Record<string, Upload>;
    expect(isEqual(image!.received.content as Uint8Array, png)).toBe(true);
    expect(isEqual(await (file!.received.content as RangeReader).read(0, pdf.length), pdf)).toBe(true);
    expect(fields.text).toBe("after it");
    await deleteStored();
  });

  it("readForm accepts a URL in the field `file`", async () => {
    expect(await read([["file", "https://example.com/a.pdf"]])).toEqual({ file: "https://example.com/a.pdf" });
  });
});

describe("readForm and charsets", () => {
  const part = (charset: string, text: Buffer) =>
    Buffer.concat([
      Buffer.from(
        `--b\r\nContent-Disposition: form-data; name="text"\r\nContent-Type: text/plain; charset=${charset}\r\n\r\n`,
      ),
      text,
      Buffer.from("\r\n--b--\r\n"),
    ]);
  it.each([
    ["iso-8859-1", "latin1"],
    ["UTF-16LE", "utf16le"],
    ["utf-8", "utf8"],
  ] as const)("readForm decodes a text field in the charset that the part declares: %s", async (charset, encoding) => {
    const body = part(charset, Buffer.from("Zürich", encoding));
    expect(await readBytes(Promise.resolve(body), "multipart/form-data; boundary=b")).toEqual({ text: "Zürich" });
  });

  it("readForm decodes a text field of unknown charset as UTF-8 with replacement characters", async () => {
    const body = part("x-none", Buffer.from([0x8b, 0x40, 0x96, 0xa7]));
    const { text } = await readBytes(Promise.resolve(body), "multipart/form-data; boundary=b");
    expect(text).toContain("\ufffd");
  });
});

describe("readForm and invalid forms", () => {
  const large = new Blob([noise(50_000)]);
  const refused = { code: "invalid_request", status: 400 };
  const tooLarge = { code: "body_too_large", status: 413 };

  it.each<[string, [string, string | Blob][], RegExp, object?]>([
    [
      "a field twice",
      [
        ["file", large],
        ["text", "a"],
        ["text", "b"],
      ],
      /has `text` more than once/,
    ],
    [
      "a file twice",
      [
        ["file", large],
        ["file", large],
      ],
      /has `file` more than once/,
    ],
    [
      "a long field",
      [
        ["file", large],
        ["text", "a".repeat(LONG_TEXT_BYTES + 1)],
      ],
      /`text` has more than 262144 bytes\. Send a shorter value/,
      tooLarge,
    ],
    [
      "a long text that is no file in `file`",
      [["file", "not base64! ".repeat(30_000)]],
      /`file` has more than 262144 bytes\. Send a file as a part/,
      tooLarge,
    ],
    [
      "many long fields",
      Array.from({ length: 10 }, (_, i) => [`f${i}`, "a".repeat(200_000)]),
      /more than 1000000 bytes/,
      tooLarge,
    ],
    [
      "a text sent as a file, as some clients send all fields",
      [
        ["file", large],
        ["text", new Blob(["DRAFT"])],
      ],
      /`text` as a file\. Send `text` as a plain field/,
    ],
    [
      "a PDF in a part with another name",
      [["pdf", new File(["%PDF-1.7"], "a.PDF")]],
      /`pdf` as a file\. Did you mean `file`\?/,
    ],
    [
      "an image in a part with another name",
      [["logo", new File(["x"], "a.jpeg")]],
      /`logo` as a file\. Did you mean `image`\?/,
    ],
    [
      "too many fields",
      [["file", large], ...Array.from({ length: 60 }, (_, i): [string, string] => [`f${i}`, ""])],
      /more than 50 parts/,
    ],
  ])("readForm rejects a form with %s, and leaves nothing in storage", async (_, entries, words, problem = refused) => {
    await expect(read(entries)).rejects.toMatchObject({ ...problem, detail: expect.stringMatching(words) });
    await deleteStored();
    expect(await spooled()).toBe(0);
  });

  it.each([
    ["cut off within a file", (body: Uint8Array) => body.subarray(0, 20_000)],
    ["cut off before its end", (body: Uint8Array) => body.subarray(0, -10)],
    ["empty", () => new Uint8Array()],
    ["noise", () => noise(5000)],
  ])("readForm rejects a form that is %s, and leaves nothing in storage", async (_, change) => {
    await expect(
      read(
        [
          ["text", "a"],
          ["file", large],
        ],
        change,
      ),
    ).rejects.toMatchObject(refused);
    await deleteStored();
    expect(await spooled()).toBe(0);
  });

  it.each(["multipart/form-data", "multipart/form-data; boundary="])(
    "readForm rejects a form whose Content-Type declares no boundary: %s",
    async (contentType) => {
      await expect(readBytes(Promise.resolve(noise(100)), contentType)).rejects.toMatchObject(refused);
    },
  );

  it("readForm rejects an upload over the size limit and leaves nothing in storage", async () => {
    await expect(read([["file", new Blob([noise(20_000_001)])]])).rejects.toMatchObject({ code: "source_too_large" });
    await deleteStored();
    expect(await spooled()).toBe(0);
  });

  it("readForm rejects a body whose connection ends early", async () => {
    const broken = (async function* () {
      yield new TextEncoder().encode('--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nabc');
      throw new Error("hung up");
    })();
    await expect(readForm(broken, "multipart/form-data; boundary=b", limitsOfForm())).rejects.toMatchObject(refused);
  });
});

it("readForm throws a storage failure unchanged instead of reporting invalid_request", async () => {
  const limits = limitsOfForm();
  const full = { ...limits, file: { ...limits.file, store: () => Promise.reject(new Error("out of order")) } };
  const form = new FormData();
  form.set("file", new Blob([noise(50_000)]));
  const { headers, body } = new Response(form);
  const read = readForm(body!, headers.get("Content-Type")!, full);
  await expect(read).rejects.toThrow("out of order");
});

it("readForm rejects a form with many files without a runtime warning about many listeners", async () => {
  const warned = vi.fn();
  process.on("warning", warned);
  const files = Array.from({ length: 40 }, (_, at): [string, Blob] => [`f${at}`, new Blob(["x"])]);
  await expect(read(files)).rejects.toThrow(/as a file/);
  await scheduler.wait(10);
  process.off("warning", warned);
  expect(warned).not.toHaveBeenCalled();
});
