/** Tests uploads in parts, with the shortest parts that R2 allows. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import worker from "../../src/index.ts";
import { UPLOADS } from "../../src/settings/limits.ts";
import { sha256 as hashOf } from "../../src/shared/sha256.ts";
import { isEqual } from "../support/bytes.ts";
import { callPaid, send, TEXT } from "../support/client.ts";
import { onePage } from "../support/pdf.ts";
import { bucket, emptyBucket, storedKeys } from "../support/storage.ts";

interface Offered {
  handle: string;
  upload: { url: string };
  parts: { bytes: number; urls: string[]; status: string; complete: string };
  curl: string;
  expires_at: string;
}

const PART = 5 << 20;
const COUNT = 3;
/** A PDF of two full parts and a shorter last part. */
const file = new Uint8Array(2 * PART + 1000).fill(0x20);
file.set(onePage);
/** Returns part `number` of the file, counted from 1. */
const part = (number: number) => file.subarray((number - 1) * PART, number * PART);

beforeEach(() => {
  Object.assign(UPLOADS, { partBytes: PART, freeBytes: 3 * PART });
});
const normal = { ...UPLOADS };
afterEach(async () => {
  Object.assign(UPLOADS, normal);
  vi.restoreAllMocks();
  await emptyBucket();
});

const open = async (size = file.length): Promise<Offered> => {
  const response = await send("/v1/uploads", { method: "POST", body: JSON.stringify({ name: "a.pdf", size }) });
  expect(response.status).toBe(201);
  return response.json();
};
const put = (url: string, body: Uint8Array<ArrayBuffer>) =>
  send(url, { method: "PUT", body, headers: { "Content-Length": String(body.length) } });
const putPart = ({ parts }: Offered, number: number) => put(parts.urls[number - 1]!, part(number));
const complete = ({ parts }: Offered) => send(parts.complete, { method: "POST" });
const list = async ({ parts }: Offered) =>
  (await send(parts.status)).json<{ parts: { number: number }[]; complete: boolean }>();
const codeOf = async (response: Response) => {
  const { code } = await response.json<{ code: string }>();
  return [response.status, code];
};

describe("an upload in parts", () => {
  test("the service joins parts of a file that arrive in any order, and marks the file", async () => {
    const offered = await open();
    expect(offered.parts).toEqual({
      bytes: PART,
      urls: [1, 2, 3].map((number) => `${offered.upload.url}/parts/${number}`),
      status: `${offered.upload.url}/parts`,
      complete: `${offered.upload.url}/complete`,
    });
    const digests = await Promise.all([1, 2, 3].map((number) => hashOf(part(number))));
    for (const number of [3, 1, 2]) {
      const stored = await (await putPart(offered, number)).json();
      expect(stored).toEqual({ number, bytes: part(number).length, sha256: digests[number - 1] });
    }
    const receipt = await complete(offered);
    const parts_sha256 = await hashOf(Uint8Array.fromHex(digests.join("")));
    const answer = { bytes: file.length, parts_sha256, expires_at: offered.expires_at };
    expect([receipt.status, await receipt.json()]).toEqual([200, answer]);
    expect(await (await complete(offered)).json()).toEqual(answer);
    expect(await list(offered)).toMatchObject({ complete: true, count: COUNT });

    const { file: stored } = (await (await bucket.get(recordKey(offered), {}))!.json()) as { file: { key: string } };
    const bytes = new Uint8Array(await (await bucket.get(stored.key, {}))!.arrayBuffer());
    expect(isEqual(bytes, file)).toBe(true);
    const marked = await callPaid(TEXT, { file: offered.handle, text: "A" });
    expect(await marked.json()).toMatchObject({ output: { pages: 1 } });
  });

  test("the service lists the stored parts of an upload, so that a caller can send the missing parts", async () => {
    const offered = await open();
    await putPart(offered, 2);
    const sha256 = await hashOf(part(2));
    expect(await list(offered)).toEqual({
      ...{ bytes: PART, count: COUNT, complete: false, expires_at: offered.expires_at },
      parts: [{ number: 2, bytes: PART, sha256 }],
    });
    expect(await codeOf(await complete(offered))).toEqual([409, "upload_empty"]);
    expect(await codeOf(await callPaid(TEXT, { file: offered.handle, text: "A" }))).toEqual([409, "upload_empty"]);
    for (const number of [1, 3]) await putPart(offered, number);
    expect((await complete(offered)).status).toBe(200);
  });

  test("a file no longer than one part cannot be uploaded in parts", async () => {
    const offered = await open(PART);
    expect(offered).not.toHaveProperty("parts");
    expect(await storedKeys("uploads/")).toHaveLength(1);
    expect(await codeOf(await put(`${offered.upload.url}/parts/1`, part(1)))).toEqual([404, "upload_not_found"]);
    expect(await codeOf(await send(`${offered.upload.url}/complete`, { method: "POST" }))).toEqual([
      404,
      "upload_not_found",
    ]);
  });

  test("a large file can still be sent in one request, and the upload then accepts no parts", async () => {
    const offered = await open();
    const received = await put(offered.upload.url, file);
    expect(await received.json()).toMatchObject({ sha256: await hashOf(file) });
    expect(await codeOf(await putPart(offered, 1))).toEqual([409, "upload_used"]);
    expect(await codeOf(await complete(offered))).toEqual([409, "upload_used"]);
  });

  test("the service rejects a part of the wrong length or with an unknown number", async () => {
    const offered = await open();
    for (const [number, bytes] of [
      [1, part(3)],
      [3, part(1)],
    ] as const)
      expect(await codeOf(await put(offered.parts.urls[number - 1]!, bytes))).toEqual([400, "upload_length_wrong"]);
    for (const number of [0, 4])
      expect(await codeOf(await put(`${offered.parts.status}/${number}`, part(1)))).toEqual([404, "upload_not_found"]);
    expect(await list(offered)).toMatchObject({ parts: [] });
  });

  test("the service rejects a first part that is not the beginning of a PDF", async () => {
    const offered = await open();
    expect(await codeOf(await put(offered.parts.urls[0]!, part(2)))).toEqual([422, "not_a_pdf"]);
    expect((await putPart(offered, 1)).status).toBe(200);
  });

  test("the service rejects other bytes for a part that is already stored, and keeps the stored part", async () => {
    const offered = await open();
    await putPart(offered, 2);
    const before = await list(offered);
    expect(await codeOf(await put(offered.parts.urls[1]!, new Uint8Array(PART)))).toEqual([409, "upload_used"]);
    expect(await list(offered)).toEqual(before);
  });

  test("concurrent requests to complete an upload all succeed with the same answer", async () => {
    const offered = await open();
    await Promise.all([1, 2, 3].map((number) => putPart(offered, number)));
    const answers = await Promise.all(Array.from({ length: 5 }, () => complete(offered)));
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(200));
    const [first, ...others] = await Promise.all(answers.map((answer) => answer.json()));
    for (const other of others) expect(other).toEqual(first);
    expect((await callPaid(TEXT, { file: offered.handle, text: "A" })).status).toBe(200);
  });

  test("an upload can be repaired after concurrent requests for a part left a wrong record", async () => {
    const offered = await open();
    for (const number of [1, 3]) await putPart(offered, number);
    await putPart(offered, 2);
    // simulates a concurrent request that has replaced the part in R2, but whose record was overwritten
    const [record] = (await storedKeys("uploads/")).filter((key) => key.endsWith("-parts"));
    const { file: key, uploadId } = (await (await bucket.get(record!, {}))!.json()) as Record<string, string>;
    await bucket.resumeMultipartUpload(key!, uploadId!).uploadPart(2, new Response(part(2)).body!);
    expect(await codeOf(await complete(offered))).toEqual([409, "upload_empty"]);
    for (const number of [1, 2, 3]) expect((await putPart(offered, number)).status).toBe(200);
    expect((await complete(offered)).status).toBe(200);
  });

  test("the service rejects a part that arrives while the upload is completed", async () => {
    const offered = await open();
    for (const number of [1, 3]) await putPart(offered, number);
    const [begun, rest] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          begun.resolve();
          await rest.promise;
          controller.enqueue(part(2));
          controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    const headers = { "Content-Length": String(PART) };
    const late = send(offered.parts.urls[1]!, { method: "PUT", body: slow, headers });
    await begun.promise;
    await putPart(offered, 2);
    expect((await complete(offered)).status).toBe(200);
    rest.resolve();
    expect(await codeOf(await late)).toEqual([409, "upload_used"]);
  });

  test("the URLs of an upload in parts do not contain the handle, and expire with the upload", async () => {
    const offered = await open();
    expect(JSON.stringify([offered.parts, offered.curl])).not.toContain(offered.handle.slice(7));
    vi.spyOn(Date, "now").mockReturnValue(Date.now() + 3_601_000);
    for (const response of [await putPart(offered, 1), await complete(offered), await send(offered.parts.status)])
      expect(await codeOf(response)).toEqual([410, "upload_expired"]);
  });

  test("the sweep aborts an unfinished upload and deletes its parts", async () => {
    const offered = await open();
    await putPart(offered, 1);
    const [record] = (await storedKeys("uploads/")).filter((key) => key.endsWith("-parts"));
    const { file: key, uploadId } = (await (await bucket.get(record!, {}))!.json()) as Record<string, string>;
    await worker.scheduled(
      { scheduledTime: Date.now() + 2 * 3_600_000 } as ScheduledController,
      (await import("cloudflare:workers")).env,
    );
    expect(await storedKeys("uploads/")).toEqual([]);
    const late = bucket.resumeMultipartUpload(key!, uploadId!).uploadPart(2, new Response(part(2)).body!);
    await expect(late).rejects.toThrow("does not exist");
  });
});

function recordKey({ upload }: Offered): string {
  const id = upload.url.split("/").at(-1)!;
  return `uploads/${id.slice(0, 6)}/${id}`;
}
