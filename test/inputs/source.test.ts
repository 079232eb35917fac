import { describe, expect, test, vi } from "vitest";
import { ReceivedFile } from "../../src/inputs/receivedFile.ts";
import { openSource } from "../../src/inputs/source.ts";
import { Upload } from "../../src/inputs/upload.ts";
import { sha256 } from "../../src/shared/sha256.ts";
import type { Bucket } from "../../src/storage/objectStore.ts";
import { spool } from "../../src/storage/spool.ts";
import { noise } from "../support/bytes.ts";
import { limitsOf } from "../support/limits.ts";
import { bucket } from "../support/storage.ts";

const limits = limitsOf();
const look = () => {};
const rules = { timeoutMs: 5000, allowLoopback: false };
const base64 = (length: number) => new Uint8Array(length).toBase64();
const tooLarge = { code: "source_too_large", status: 413 };

describe("a file of at most the limit is taken", () => {
  test.each([
    ["as a data URI", `data:application/pdf;base64,${base64(1000)}`],
    ["as bare base64", base64(1000)],
    ["as base64 in lines", base64(1000).replace(/.{64}/g, "$&\r\n")],
  ])("%s", async (_, source) => {
    expect((await openSource(source, "file", { rules, limits, look })).content).toHaveLength(1000);
  });
});

describe("a larger one is a source_too_large", () => {
  test.each([
    ["as a data URI", `data:application/pdf;base64,${base64(1001)}`],
    ["as bare base64", base64(1001)],
    ["as a URL", "https://files.example.com/large.pdf"],
  ])("%s", async (_, source) => {
    await expect(openSource(source, "file", { rules, limits, look })).rejects.toMatchObject(tooLarge);
  });

  test("before it is decoded", async () => {
    const decoded = vi.spyOn(Uint8Array, "fromBase64");
    await expect(openSource(`data:;base64,${base64(10_000)}`, "file", { rules, limits, look })).rejects.toMatchObject(
      tooLarge,
    );
    expect(decoded).not.toHaveBeenCalled();
  });
});

test("a source slower than the deadline is a source_timeout", async () => {
  const slow = openSource("https://files.example.com/slow.pdf", "file", {
    rules: { ...rules, timeoutMs: 100 },
    limits,
    look,
  });
  await expect(slow).rejects.toMatchObject({ code: "source_timeout", status: 504 });
});

test.each([
  ["never begins", 0],
  ["stops", 2_000_000],
])("one that answers and then %s is one too, long before the deadline", async (_, length) => {
  let isCancelled = false;
  const body = new ReadableStream({
    type: "bytes",
    start(controller: ReadableByteStreamController) {
      if (length > 0) controller.enqueue(new Uint8Array(length));
    },
    cancel() {
      isCancelled = true;
    },
  });
  vi.spyOn(globalThis, "fetch").mockResolvedValueOnce(new Response(body));
  const pace = { bytesPerSecond: 1000, graceMs: 100, deadlineMs: 1e6 };
  const slow = openSource("https://files.example.com/a.pdf", "file", {
    rules: { ...rules, timeoutMs: 1e6 },
    limits: limitsOf({ maxBytes: 1e7, inMemoryBytes: 1e7, pace }),
    look,
  });
  await expect(slow).rejects.toMatchObject({ code: "source_timeout", detail: expect.stringContaining("too slowly") });
  expect(isCancelled).toBe(true);
});

describe("a file that its server has encoded, of which a few bytes may become gigabytes,", () => {
  /** Serves as much as is asked for, up to 10 MB; tells how much that was. */
  function serve(encoding: string) {
    const served = { bytes: 0 };
    const pull = (controller: ReadableByteStreamController) => {
      served.bytes += 100_000;
      controller.enqueue(new Uint8Array(100_000));
      if (served.bytes === 10_000_000) controller.close();
    };
    const response = new Response(new ReadableStream({ type: "bytes", pull }, { highWaterMark: 0 }));
    response.headers.set("Content-Encoding", encoding);
    vi.spyOn(globalThis, "fetch").mockResolvedValueOnce(response);
    return served;
  }
  const open = () =>
    openSource("https://files.example.com/a.pdf", "file", {
      rules,
      look,
      limits: limitsOf({
        maxBytes: 20_000_000,
        inMemoryBytes: 500_000,
        keep: (chunks) => spool(bucket, chunks),
      }),
    });

  test.each(["gzip", "br"])("is refused once it does not fit in memory: %s", async (encoding) => {
    const served = serve(encoding);
    await expect(open()).rejects.toMatchObject({ ...tooLarge, detail: expect.stringContaining("Content-Encoding") });
    expect(served.bytes).toBeLessThan(1_500_000);
  });

  test("and one that is not encoded is not", async () => {
    serve("identity");
    expect((await open()).content).toHaveLength(10_000_000);
  });
});

describe("the SHA-256 of a file, where it is wanted,", () => {
  const bytes = noise(1_000_003);
  const stored = {
    maxBytes: bytes.length,
    keep: (chunks: AsyncIterable<Uint8Array>, atMost?: number) => spool(bucket, chunks, atMost),
  };
  const open = (source: string | Upload, inMemoryBytes: number, isHashed: boolean) =>
    openSource(source, "file", { rules, look, isHashed, limits: limitsOf({ ...stored, inMemoryBytes }) });

  test.each([
    ["announced, in memory", bytes.length, { "Content-Length": `${bytes.length}` }],
    ["announced, in the spool", 100, { "Content-Length": `${bytes.length}` }],
    ["not announced, in memory", bytes.length, {}],
    ["not announced, in the spool", 100, {}],
    ["not announced, and too much for memory half way", 600_000, {}],
  ])("is that of the bytes that came: %s", async (_, inMemoryBytes, headers) => {
    for (const isHashed of [true, false]) {
      vi.spyOn(globalThis, "fetch").mockResolvedValueOnce(new Response(bytes, { headers }));
      const { content, sha256: hash } = await open("https://files.example.com/a.pdf", inMemoryBytes, isHashed);
      expect(content).toHaveLength(bytes.length);
      expect(hash).toBe(isHashed ? await sha256(bytes) : undefined);
    }
  });

  test("is that of the decoded bytes of a data URI, and of an upload it is known", async () => {
    const uri = `data:;base64,${bytes.toBase64()}`;
    expect((await open(uri, bytes.length, true)).sha256).toBe(await sha256(bytes));
    expect((await open(uri, bytes.length, false)).sha256).toBeUndefined();
    expect((await open(new Upload(new ReceivedFile(bytes), "known"), 0, true)).sha256).toBe("known");
  });
});

describe("a file that goes to storage", () => {
  const LENGTH = 300_000;
  const source = (announces: boolean) => `https://files.example.com/zeros/${LENGTH}${announces ? "" : "-unannounced"}`;

  const open = (url: string, store: Bucket) =>
    openSource(url, "file", {
      rules,
      look: () => undefined,
      limits: limitsOf({
        maxBytes: LENGTH,
        keep: (chunks, atMost) => spool(store, chunks, atMost),
      }),
    });

  const outOfOrder = () => Promise.reject(new Error("out of order"));
  /** R2, failing at once, while it takes the bytes, or once it has them all. */
  const failing = {
    "at once": { put: outOfOrder, createMultipartUpload: outOfOrder },
    "on the way": {
      put: async (_: string, body: ReadableStream<Uint8Array>) => {
        const reader = body.getReader();
        await reader.read();
        await reader.cancel(new Error("out of order"));
        return outOfOrder();
      },
      createMultipartUpload: async () => ({ uploadPart: outOfOrder, abort: async () => {} }),
    },
    "at the end": {
      put: async (_: string, body: ReadableStream<Uint8Array>) => {
        await new Response(body).bytes();
        return outOfOrder();
      },
      createMultipartUpload: async () => ({
        uploadPart: async (partNumber: number, part: ReadableStream) => {
          await new Response(part).bytes();
          return { partNumber, etag: "" };
        },
        complete: outOfOrder,
        abort: async () => {},
      }),
    },
  } as unknown as Record<string, Bucket>;

  describe.each([true, false])("its length announced: %s", (announces) => {
    test("is kept", async () => {
      expect((await open(source(announces), bucket)).content).toHaveLength(LENGTH);
    });

    test.each(Object.entries(failing))("is not told as the source's fault where R2 fails %s", async (_, store) => {
      const error = await open(source(announces), store).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(Error);
      expect(error).not.toHaveProperty("code");
    });
  });
});
