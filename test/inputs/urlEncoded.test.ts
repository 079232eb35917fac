import { expect, test } from "vitest";
import { LONG_TEXT_BYTES, MAX_TEXT_BYTES } from "../../src/inputs/inlineFile.ts";
import { MemoryPool, MemoryShare } from "../../src/inputs/memory.ts";
import { readUrlEncoded } from "../../src/inputs/urlEncoded.ts";

/** Reads a URL-encoded form in short chunks. Overwrites each chunk when the next chunk is requested. */
function read(text: string, poolBytes = 32_000_000) {
  const bytes = new TextEncoder().encode(text);
  const step = Math.max(5, bytes.length / 50);
  const chunks = (async function* () {
    for (let at = 0; at < bytes.length; at += step) {
      const chunk = bytes.slice(at, at + step);
      yield chunk;
      chunk.fill(0);
    }
  })();
  return readUrlEncoded(chunks, new MemoryShare(new MemoryPool(poolBytes), 60_000));
}

test("readUrlEncoded decodes the fields of a form", async () => {
  expect(await read("file=https://example.com/%61.pdf&text=Z%C3%BCrich+%26+%E7%A4%BE&opacity=0.5&empty=")).toEqual({
    file: "https://example.com/a.pdf",
    text: "Zürich & 社",
    opacity: "0.5",
    empty: "",
  });
  expect(await read("")).toEqual({});
});

test.each([
  ["a repeated field", "text=a&file=b&text=c", "invalid_request", /`text` more than once/],
  ["a PDF", "%PDF-1.7\n", "unsupported_media_type", /Content-Type: application\/pdf/],
  ["a field that is too long", `text=${"a".repeat(LONG_TEXT_BYTES + 1)}`, "body_too_large", /multipart/],
  ["a body that is too long", "a=b&".repeat(MAX_TEXT_BYTES / 4 + 1), "body_too_large", /multipart/],
])("readUrlEncoded rejects a form with %s", async (_, text, code, detail) => {
  await expect(read(text)).rejects.toMatchObject({ code, detail: expect.stringMatching(detail) });
});

test("readUrlEncoded rejects a form if not enough memory is available", async () => {
  await expect(read("a=b", 4)).rejects.toMatchObject({ code: "too_busy" });
});
