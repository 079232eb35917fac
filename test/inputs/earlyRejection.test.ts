import { describe, expect, test, vi } from "vitest";
import { readForm } from "../../src/inputs/multipart.ts";
import { expectPdf } from "../../src/inputs/sniff.ts";
import { openSource } from "../../src/inputs/source.ts";
import { callPaid, dataUri, IMAGE, TEXT } from "../support/client.ts";
import { limitsOf } from "../support/limits.ts";
import { RED_PNG } from "../support/png.ts";

const MB = 1 << 20;
const VIDEO = new TextEncoder().encode("\0\0\0\x20ftypisom");

/** Returns a video of 100 MB as a stream. `read` returns the number of megabytes read so far. */
function video() {
  let read = 0;
  const body = new ReadableStream({
    type: "bytes",
    pull(controller: ReadableByteStreamController) {
      const bytes = new Uint8Array(MB);
      if (read === 0) bytes.set(VIDEO);
      if (++read > 100) controller.close();
      else controller.enqueue(bytes);
    },
  });
  return { body, read: () => read };
}

/** Returns limits that send every file to storage, and the mock of the storage function. */
function storing() {
  const store = vi.fn(() => Promise.reject(new Error("stored")));
  return { store, limits: limitsOf({ maxBytes: 200 * MB, inMemoryBytes: 100, store }) };
}

describe("early rejection of a video of 100 MB", () => {
  test.each([
    ["with a Content-Length", { "Content-Length": String(100 * MB) }],
    ["without a Content-Length", {}],
  ])("openSource rejects a fetched video after its first bytes and stores nothing: %s", async (_, headers) => {
    const { body, read } = video();
    vi.spyOn(globalThis, "fetch").mockResolvedValueOnce(new Response(body, { headers }));
    const { store, limits } = storing();
    const rules = { timeoutMs: 5000, allowLoopback: false };
    const inspect = (head: Uint8Array) => expectPdf(head, undefined);
    await expect(
      openSource("https://files.example.com/film.mp4", "file", { rules, limits, inspect }),
    ).rejects.toMatchObject({
      code: "not_a_pdf",
      detail: expect.stringContaining("video"),
    });
    expect(store).not.toHaveBeenCalled();
    expect(read()).toBeLessThan(4);
  });

  test("readForm rejects an uploaded video after its first bytes and stores nothing", async () => {
    const { store, limits } = storing();
    let read = 0;
    const form = (async function* () {
      yield new TextEncoder().encode('--b\r\nContent-Disposition: form-data; name="file"; filename="a.mp4"\r\n\r\n');
      for (yield VIDEO; read < 100; read++) yield new Uint8Array(MB);
    })();
    const all = { file: limits, image: limits };
    await expect(readForm(form, "multipart/form-data; boundary=b", all)).rejects.toMatchObject({ code: "not_a_pdf" });
    expect(store).not.toHaveBeenCalled();
    expect(read).toBeLessThan(10);
  });
});

describe("early rejection of invalid marks", () => {
  const file = "https://files.example.com/status/500"; // fetching this URL would fail with source_unreachable
  const truncated = dataUri("image/png", RED_PNG.subarray(0, RED_PNG.length - 20));
  test.each([
    ["a text that no font covers", TEXT, { file, text: "\u{12000}" }, "unsupported_character"],
    ["data that is not an image", IMAGE, { file, image: btoa("no image") }, "unsupported_image"],
    ["a damaged image", IMAGE, { file, image: truncated }, "damaged_image"],
  ])("a call with %s is rejected before its file is fetched", async (_, path, fields, code) => {
    expect(await (await callPaid(path, fields)).json()).toMatchObject({ code });
  });
});
