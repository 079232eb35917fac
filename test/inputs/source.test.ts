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
const inspect = () => {};
const rules = { timeoutMs: 5000, allowLoopback: false };
const base64 = (length: number) => new Uint8Array(length).toBase64();
const tooLarge = { code: "source_too_large", status: 413 };

describe("openSource within the size limit", () => {
  test.each([
    ["as a data URI", `data:application/pdf;base64,${base64(1000)}`],
    ["as bare base64", base64(1000)],
    ["as base64 in lines", base64(1000).replace(/.{64}/g, "$&\r\n")],
  ])("openSource opens a file within the size limit if the file is sent %s", async (_, source) => {
    expect((await openSource(source, "file", { rules, limits, inspect })).content).toHaveLength(1000);
  });
});

describe("openSource over the size limit", () => {
  test.each([
    ["as a data URI", `data:application/pdf;base64,${base64(1001)}`],
    ["as bare base64", base64(1001)],
    ["as a URL", "https://files.example.com/large.pdf"],
  ])(
    "openSource rejects a file over the size limit with source_too_large if the file is sent %s",
    async (_, source) => {
      await expect(openSource(source, "file", { rules, limits, inspect })).rejects.toMatchObject(tooLarge);
    },
  );

  test("openSource rejects a data URI over the size limit before decoding its data", async () => {
    const decoded = vi.spyOn(Uint8Array, "fromBase64");
    await expect(
      openSource(`data:;base64,${base64(10_000)}`, "file", { rules, limits, inspect }),
    ).rejects.toMatchObject(tooLarge);
    expect(decoded).not.toHaveBeenCalled();
  });
});

test("openSource fails with source_timeout if fetching a URL takes longer than the deadline", async () => {
  const slow = openSource("https://files.example.com/slow.pdf", "file", {
    rules: { ...rules, timeoutMs: 100 },
    limits,
    inspect,
  });
  await expect(slow).rejects.toMatchObject({ code: "source_timeout", status: 504 });
});

test.each([
  ["never begins", 0],
  ["stalls half way", 2_000_000],
])("openSource fails with source_timeout long before the deadline if the body of a URL %s", async (_, length) => {
  let isCanceled = false;
  const body = new ReadableStream({
    type: "bytes",
    start(controller: ReadableByteStreamController) {
      if (length > 0) controller.enqueue(new Uint8Array(length));
    },
    cancel() {
      isCanceled = true;
    },
  });
  vi.spyOn(globalThis, "fetch").mockResolvedValueOnce(new Response(body));
  const pace = { bytesPerSecond: 1000, graceMs: 100, deadlineMs: 1e6 };
  const slow = openSource("https://files.example.com/a.pdf", "file", {
    rules: { ...rules, timeoutMs: 1e6 },
    limits: limitsOf({ maxBytes: 1e7, inMemoryBytes: 1e7, pace }),
    inspect,
  });
  await expect(slow).rejects.toMatchObject({ code: "source_timeout", detail: expect.stringContaining("too slowly") });
  expect(isCanceled).toBe(true);
});

describe("openSource and encoded files", () => {
  /** Simulates a server that sends up to 10 MB with this Content-Encoding. Returns a counter of sent bytes. */
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
      inspect,
      limits: limitsOf({
        maxBytes: 20_000_000,
        inMemoryBytes: 500_000,
        store: (chunks) => spool(bucket, chunks),
      }),
    });

  test.each(["gzip", "br"])(
    "openSource rejects a compressed file once its decoded bytes exceed the memory limit: %s",
    async (encoding) => {
      const served = serve(encoding);
      await expect(open()).rejects.toMatchObject({ ...tooLarge, detail: expect.stringContaining("Content-Encoding") });
      expect(served.bytes).toBeLessThan(1_500_000);
    },
  );

  test("openSource accepts an uncompressed file that exceeds the memory limit", async () => {
    serve("identity");
    expect((await open()).content).toHaveLength(10_000_000);
  });
});

describe("openSource and SHA-256", () => {
  const bytes = noise(1_000_003);
  const stored = {
    maxBytes: bytes.length,
    store: (chunks: AsyncIterable<Uint8Array>, atMost?: number) => spool(bucket, chunks, atMost),
  };
  const open = (source: string | Upload, inMemoryBytes: number, isHashed: boolean) =>
    openSource(source, "file", { rules, inspect, isHashed, limits: limitsOf({ ...stored, inMemoryBytes }) });

  test.each([
    ["announced, in memory", bytes.length, { "Content-Length": `${bytes.length}` }],
    ["announced length, in the spool", 100, { "Content-Length": `${bytes.length}` }],
    ["no announced length, in memory", bytes.length, {}],
    ["no announced length, in the spool", 100, {}],
    ["no announced length, spilled from memory half way", 600_000, {}],
  ])(
    "openSource computes the hash of a fetched file only if the hash is requested: %s",
    async (_, inMemoryBytes, headers) => {
      for (const isHashed of [true, false]) {
        vi.spyOn(globalThis, "fetch").mockResolvedValueOnce(new Response(bytes, { headers }));
        const { content, sha256: hash } = await open("https://files.example.com/a.pdf", inMemoryBytes, isHashed);
        expect(content).toHaveLength(bytes.length);
        expect(hash).toBe(isHashed ? await sha256(bytes) : undefined);
      }
    },
  );

  test("openSource hashes the decoded bytes of a data URI, and reuses the known hash of an upload", async () => {
    const uri = `data:;base64,${bytes.toBase64()}`;
    expect((await open(uri, bytes.length, true)).sha256).toBe(await sha256(bytes));
    expect((await open(uri, bytes.length, false)).sha256).toBeUndefined();
    expect((await open(new Upload(new ReceivedFile(bytes), "known"), 0, true)).sha256).toBe("known");
  });
});

describe("openSource over the memory limit", () => {
  const LENGTH = 300_000;
  const source = (announces: boolean) => `https://files.example.com/zeros/${LENGTH}${announces ? "" : "-unannounced"}`;

  const open = (url: string, target: Bucket) =>
    openSource(url, "file", {
      rules,
      inspect: () => undefined,
      limits: limitsOf({
        maxBytes: LENGTH,
        store: (chunks, atMost) => spool(target, chunks, atMost),
      }),
    });

  const outOfOrder = () => Promise.reject(new Error("out of order"));
  /** R2 buckets that fail, by the time of the failure. */
  const failing = {
    "at once": { put: outOfOrder, createMultipartUpload: outOfOrder },
    "while it receives the bytes": {
      put: async (_: string, body: ReadableStream<Uint8Array>) => {
        const reader = body.getReader();
        await reader.read();
        await reader.cancel(new Error("out of order"));
        return outOfOrder();
      },
      createMultipartUpload: async () => ({ uploadPart: outOfOrder, abort: async () => {} }),
    },
    "after the last byte": {
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

  describe.each([true, false])("Content-Length: %s", (announces) => {
    test("openSource stores a file that exceeds the memory limit", async () => {
      expect((await open(source(announces), bucket)).content).toHaveLength(LENGTH);
    });

    test.each(Object.entries(failing))(
      "openSource does not blame the caller's file if R2 fails %s",
      async (_, failingBucket) => {
        const error = await open(source(announces), failingBucket).catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(Error);
        expect(error).not.toHaveProperty("code");
      },
    );
  });
});
