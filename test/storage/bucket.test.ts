import { afterEach, describe, expect, test } from "vitest";
import { putWritten } from "../../src/storage/put.ts";
import { joined, noise } from "../support/bytes.ts";
import { bucket, emptyBucket, storedKeys } from "../support/storage.ts";

/** Specifies the behavior of an adapter for another object store. To test an adapter, return it from `bucketOf`. */

afterEach(emptyBucket);

const PART = 8 << 20;

/** Stores bytes in two chunks. */
const put = (key: string, bytes: Uint8Array, metadata = {}) =>
  putWritten(
    bucket,
    key,
    bytes.length,
    async (stream) => {
      const writer = stream.getWriter();
      const half = bytes.length >> 1;
      for (const chunk of [bytes.subarray(0, half), bytes.subarray(half)])
        if (chunk.length > 0) await writer.write(chunk);
      await writer.close();
    },
    metadata,
  );

const bytesOf = async (key: string) => new Uint8Array((await (await bucket.get(key, {}))?.arrayBuffer()) ?? []);

describe("a stored object", () => {
  test("a stored object can be read with its metadata", async () => {
    expect([await bucket.head("a"), await bucket.get("a", {})]).toEqual([null, null]);
    const metadata = {
      httpMetadata: { contentType: "application/pdf", contentDisposition: "attachment; filename=a.pdf" },
      customMetadata: { token: "5c", expires: "1700000000000" },
    };
    const before = Date.now();
    const stored = await put("a", noise(1000), metadata);
    for (const object of [stored, await bucket.head("a"), await bucket.get("a", {})]) {
      expect(object).toMatchObject({ key: "a", size: 1000, etag: stored.etag, ...metadata });
      expect(object!.httpEtag).toBe(`"${object!.etag}"`);
      expect(Math.abs(object!.uploaded.getTime() - before)).toBeLessThan(60_000);
    }
    expect(await bytesOf("a")).toEqual(noise(1000));
  });

  test("replacing an object changes its metadata and etag", async () => {
    const first = await put("a", noise(10), { customMetadata: { token: "5c" } });
    const second = await put("a", noise(11));
    expect(second.etag).not.toBe(first.etag);
    const object = (await bucket.head("a"))!;
    expect([object.size, object.etag, object.customMetadata ?? {}]).toEqual([11, second.etag, {}]);
  });

  test("the bucket can store an empty object", async () => {
    await put("a", noise(10));
    await bucket.put("a", null, { customMetadata: { expires: "0" } });
    expect(await bucket.head("a")).toMatchObject({ size: 0, customMetadata: { expires: "0" } });
    expect(await bytesOf("a")).toEqual(new Uint8Array());
  });

  test("a conditional put replaces an object only if its etag matches", async () => {
    const { etag } = await bucket.put("a", '{"is":"first"}', {});
    expect(await (await bucket.get("a", {}))!.json()).toEqual({ is: "first" });
    const answers = await Promise.all(
      ["b", "c"].map((value) => bucket.put("a", value, { onlyIf: { etagMatches: etag } })),
    );
    expect(answers.filter((stored) => stored === null)).toHaveLength(1);
    expect(await bucket.put("nothing", "b", { onlyIf: { etagMatches: etag } })).toBeNull();
    expect(await storedKeys()).toEqual(["a"]);
  });

  test("a failing stream neither creates nor replaces an object", async () => {
    await put("old", noise(10));
    for (const key of ["new", "old"])
      await expect(
        putWritten(bucket, key, 20, async (stream) => {
          const writer = stream.getWriter();
          await writer.write(noise(5));
          await writer.abort(new Error("cut off")).catch(() => undefined);
          throw new Error("cut off");
        }),
      ).rejects.toThrow("cut off");
    expect(await storedKeys()).toEqual(["old"]);
    expect(await bytesOf("old")).toEqual(noise(10));
  });

  test.each([
    [0, 1],
    [0, 1000],
    [17, 500],
    [999, 1],
  ])("get reads a range of an object: offset %i, length %i", async (offset, length) => {
    const { etag } = await put("a", noise(1000));
    const range = { offset, length };
    const object = await bucket.get("a", { range });
    expect(object!.size).toBe(1000);
    expect(new Uint8Array(await object!.arrayBuffer())).toEqual(noise(length, offset));
    const again = await bucket.get("a", { range, onlyIf: { etagMatches: etag } });
    expect(await joined((again as unknown as { body: AsyncIterable<Uint8Array> }).body)).toEqual(noise(length, offset));
  });

  test("a conditional get with another etag returns no body, even for a range past the end", async () => {
    const { etag } = await put("a", noise(1000));
    await bucket.put("a", null, {});
    for (const range of [{}, { range: { offset: 500, length: 10 } }]) {
      const object = await bucket.get("a", { ...range, onlyIf: { etagMatches: etag } });
      expect(object === null || !("body" in object)).toBe(true);
    }
  });

  test("delete removes objects and ignores missing keys", async () => {
    await Promise.all(["a", "b", "c"].map((key) => put(key, noise(10))));
    await bucket.delete("a");
    await bucket.delete("a");
    expect(await bucket.head("a")).toBeNull();
    await bucket.delete(["a", "b", "d"]);
    expect(await storedKeys()).toEqual(["c"]);
  });
});

describe("list", () => {
  test("list returns the keys after `startAfter` in byte order, up to `limit`", async () => {
    for (const key of ["b/2", "b/10", "b/1", "a", "c", "b/é", "b/Z", "b/1/x"]) await bucket.put(key, null, {});
    const list = async (startAfter: string, limit: number) => {
      const { objects, truncated } = await bucket.list({ prefix: "b/", startAfter, limit });
      return [objects.map(({ key }) => key), truncated];
    };
    const all = ["b/1", "b/1/x", "b/10", "b/2", "b/Z", "b/é"];
    expect(await list("b/", 1000)).toEqual([all, false]);
    expect(await list("b/", 2)).toEqual([all.slice(0, 2), true]);
    expect(await list("b/1/x", 3)).toEqual([all.slice(2, 5), true]);
    expect(await list("b/1/y", 1000)).toEqual([all.slice(2), false]);
    expect(await list("b/é", 1000)).toEqual([[], false]);
    expect(await storedKeys("none/")).toEqual([]);
  });
});

describe("a multipart upload", () => {
  const streamOf = (bytes: Uint8Array<ArrayBuffer>) => new Response(bytes).body!;

  test("a completed multipart upload is readable as one object, even if its parts arrive out of order", async () => {
    const upload = await bucket.createMultipartUpload("a");
    const second = await upload.uploadPart(2, streamOf(noise(1000, PART)));
    const first = await upload.uploadPart(1, streamOf(noise(PART)));
    expect(await storedKeys()).toEqual([]);
    await upload.complete([first, second]);
    expect(await bucket.head("a")).toMatchObject({ key: "a", size: PART + 1000 });
    const across = await bucket.get("a", { range: { offset: PART - 10, length: 20 } });
    expect(new Uint8Array(await across!.arrayBuffer())).toEqual(noise(20, PART - 10));
  });

  test("an aborted multipart upload leaves nothing stored", async () => {
    const upload = await bucket.createMultipartUpload("a");
    await upload.uploadPart(1, streamOf(noise(PART)));
    await upload.abort();
    expect(await storedKeys()).toEqual([]);
  });
});
