import { describe, expect, test } from "vitest";
import { download } from "../../src/storage/download.ts";
import { revoke } from "../../src/storage/link.ts";
import type { Bucket } from "../../src/storage/objectStore.ts";
import { deleteResult, isAvailable, resultKey, storeResult } from "../../src/storage/results.ts";
import { inOne } from "../support/bytes.ts";
import { send } from "../support/client.ts";
import { bucket } from "../support/storage.ts";

const PDF = new TextEncoder().encode("%PDF-1.7 is all that storage cares");
const stored = (ttlSeconds = 3600, filename = "watermarked.pdf") =>
  storeResult(bucket, { length: PDF.length, chunks: () => inOne(PDF) }, { filename, ttlSeconds });
const linkTo = ({ id, token }: { id: string; token: string }) => `/v1/files/${id}.pdf?token=${token}`;

/**
 * Simulates a browser cache (RFC 9111). It serves fresh responses without a request, revalidates stale responses, and
 * never evicts anything.
 */
function cacheOf(ask: typeof send): typeof send {
  const cached = new Map<string, { headers: Headers; body: Uint8Array<ArrayBuffer> }>();
  return async (path, init = {}) => {
    const known = cached.get(path);
    const control = known?.headers.get("Cache-Control") ?? "";
    if (known && /max-age=[1-9]/.test(control) && !/no-cache/.test(control)) return new Response(known.body);
    const response = await ask(path, { ...init, headers: { "If-None-Match": known?.headers.get("ETag") ?? "" } });
    if (response.status === 304) return new Response(known!.body);
    if (response.status !== 200 || init.method === "HEAD") return response;
    const body = new Uint8Array(await response.arrayBuffer());
    if (!/no-store/.test(response.headers.get("Cache-Control")!)) cached.set(path, { headers: response.headers, body });
    return new Response(body, response);
  };
}

describe("a result link", () => {
  test("a result link serves the file with private caching and as an attachment", async () => {
    const response = await send(linkTo(await stored()));
    expect(response.status).toBe(200);
    expect(await response.bytes()).toEqual(PDF);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "application/pdf",
      "content-length": String(PDF.length),
      "accept-ranges": "bytes",
      "cache-control": "private, no-cache",
      "x-robots-tag": "noindex",
      "x-content-type-options": "nosniff",
      "content-disposition": "attachment; filename=watermarked.pdf",
      "content-security-policy": "sandbox",
    });
  });

  test("a result link answers HEAD with the same headers as GET and no body", async () => {
    const link = linkTo(await stored());
    const [get, head] = [await send(link), await send(link, { method: "HEAD" })];
    expect(head.status).toBe(200);
    expect(await head.text()).toBe("");
    for (const name of ["content-type", "content-length", "etag", "accept-ranges"])
      expect(head.headers.get(name)).toBe(get.headers.get(name));
    await get.body?.cancel();
  });

  test.each([
    ["bytes=0-4", 206, "%PDF-", `bytes 0-4/${PDF.length}`],
    ["bytes=-5", 206, "cares", `bytes ${PDF.length - 5}-${PDF.length - 1}/${PDF.length}`],
  ])("a result link serves the range %s", async (range, status, text, contentRange) => {
    const response = await send(linkTo(await stored()), { headers: { Range: range } });
    expect([response.status, await response.text(), response.headers.get("Content-Range")]).toEqual([
      status,
      text,
      contentRange,
    ]);
  });

  test("a result link ignores Range in a HEAD request", async () => {
    const head = await send(linkTo(await stored()), { method: "HEAD", headers: { Range: "bytes=0-4" } });
    expect([head.status, head.headers.get("Content-Length")]).toEqual([200, String(PDF.length)]);
  });

  test("a result link answers 412 if If-Match names another etag", async () => {
    const response = await send(linkTo(await stored()), { headers: { "If-Match": '"another"' } });
    expect([response.status, (await response.json<{ code: string }>()).code]).toEqual([412, "precondition_failed"]);
  });

  test.each([
    ["contract.pdf", "attachment; filename=contract.pdf"],
    ['the "final" one; really.pdf', 'attachment; filename="the \\"final\\" one; really.pdf"'],
    ["契約.pdf", "attachment; filename=\"??.pdf\"; filename*=UTF-8''%E5%A5%91%E7%B4%84.pdf"],
    ["100%41.pdf", "attachment; filename=100%41.pdf; filename*=UTF-8''100%2541.pdf"],
  ])("a result link sends the file name %s in Content-Disposition (RFC 6266)", async (filename, disposition) => {
    const response = await send(linkTo(await stored(3600, filename)), { method: "HEAD" });
    expect(response.headers.get("Content-Disposition")).toBe(disposition);
  });

  test("a result link answers 416 with the file size to a range beyond the end of the file", async () => {
    const response = await send(linkTo(await stored()), { headers: { Range: "bytes=1000-" } });
    expect(response.status).toBe(416);
    expect(response.headers.get("Content-Range")).toBe(`bytes */${PDF.length}`);
    expect(await response.json()).toMatchObject({ code: "range_not_satisfiable" });
  });

  test("a result link answers 304 to a client that already has the file", async () => {
    const link = linkTo(await stored());
    const first = await send(link);
    await first.body?.cancel();
    const again = await send(link, { headers: { "If-None-Match": first.headers.get("ETag")! } });
    expect(again.status).toBe(304);
    for (const name of ["ETag", "Cache-Control", "X-Robots-Tag"])
      expect([name, again.headers.get(name)]).toEqual([name, first.headers.get(name)]);
  });

  test.each(["GET", "HEAD"])("a browser's cache never serves a revoked link: %s", async (method) => {
    const link = linkTo(await stored());
    const browser = cacheOf(send);
    expect(await (await browser(link)).bytes()).toEqual(PDF);
    expect(await (await browser(link)).bytes()).toEqual(PDF);
    await send(link, { method: "DELETE" });
    const response = await browser(link, { method });
    expect([response.status, response.headers.get("Cache-Control")]).toEqual([410, "no-store"]);
    expect((await browser(link)).status).toBe(410);
  });

  test.each([
    ["missing", ""],
    ["empty", "?token="],
    ["wrong", `?token=${"0".repeat(64)}`],
    ["of another length", "?token=0"],
  ])("a link whose token is %s answers 403", async (_, query) => {
    const response = await send(`/v1/files/${(await stored()).id}.pdf${query}`);
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ code: "invalid_token" });
  });

  test("a result link serves the file until the millisecond before it expires", async () => {
    const { expiresAt, ...link } = await stored();
    const at = (ms: number) => download(bucket, link, new Request("http://localhost"), () => ms);
    const last = await at(expiresAt.getTime() - 1);
    expect(last.status).toBe(200);
    await last.body?.cancel();
    await expect(at(expiresAt.getTime())).rejects.toMatchObject({ code: "link_expired" });
    await expect(at(expiresAt.getTime() + 1)).rejects.toMatchObject({ code: "link_expired" });
  });

  test("an expired link answers 410", async () => {
    const response = await send(linkTo(await stored(0)));
    expect(response.status).toBe(410);
    expect(await response.json()).toMatchObject({ code: "link_expired" });
  });

  test("an expired link answers 410 even after its file was deleted", async () => {
    const result = await stored(-7200);
    await deleteResult(bucket, result.id);
    expect((await send(linkTo(result))).status).toBe(410);
  });

  test.each(["nothing", "499999-0123", `499999-${"0".repeat(32)}`, `../${"0".repeat(32)}`])(
    "a link with the unknown id %s answers 404",
    async (id) => {
      const response = await send(`/v1/files/${encodeURIComponent(id)}.pdf?token=0`);
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ code: "file_not_found" });
    },
  );

  test("a result link answers 405 to other methods", async () => {
    const response = await send(linkTo(await stored()), { method: "PUT" });
    expect(response.status).toBe(405);
    expect(response.headers.get("Allow")).toBe("GET, HEAD, DELETE");
  });
});

describe("revoking a link", () => {
  test.each([".pdf", ""])(
    "DELETE on a link with suffix %j deletes the file immediately, and the link then answers 410",
    async (end) => {
      const { id, token } = await stored();
      const link = `/v1/files/${id}${end}?token=${token}`;
      expect((await send(link, { method: "DELETE" })).status).toBe(204);
      expect((await bucket.head(resultKey(id)))?.size).toBe(0);
      const response = await send(link);
      expect([response.status, (await response.json<{ code: string }>()).code]).toEqual([410, "link_expired"]);
      expect((await send(link, { method: "DELETE" })).status).toBe(204);
    },
  );

  test("DELETE on a link without the right token answers 403", async () => {
    const result = await stored();
    for (const query of ["", `?token=${"0".repeat(64)}`])
      expect((await send(`/v1/files/${result.id}.pdf${query}`, { method: "DELETE" })).status).toBe(403);
    const response = await send(linkTo(result));
    expect(await response.bytes()).toEqual(PDF);
  });

  test("a wrong token does not reveal that a link was revoked", async () => {
    const { id, token } = await stored();
    await send(linkTo({ id, token }), { method: "DELETE" });
    expect((await send(`/v1/files/${id}.pdf?token=0`)).status).toBe(403);
  });

  test("a revoked link counts as expired even if a machine's clock is slow", async () => {
    const link = await stored();
    const began = Date.now();
    await revoke(bucket, link, Date.now);
    const late = download(bucket, link, new Request("http://localhost"), () => began - 5000);
    await expect(late).rejects.toMatchObject({ code: "link_expired" });
    expect(await isAvailable(bucket, link.id, began - 5000)).toBe(false);
  });

  test("revoking an expired link leaves the stored object unchanged", async () => {
    const { expiresAt, ...link } = await stored();
    await revoke(bucket, link, () => expiresAt.getTime());
    expect((await bucket.head(resultKey(link.id)))?.size).toBe(PDF.length);
  });

  test("a download in progress completes even if its link is revoked", async () => {
    const link = linkTo(await stored());
    const begun = await send(link);
    await send(link, { method: "DELETE" });
    expect(await begun.bytes()).toEqual(PDF);
  });

  test("a download answers 410 if its link is revoked between reading the metadata and reading the bytes", async () => {
    const result = await stored();
    const changing = {
      head: (key: string) => bucket.head(key),
      get: async (...of: Parameters<Bucket["get"]>) => {
        await revoke(bucket, result, Date.now);
        return bucket.get(...of);
      },
    } as Bucket;
    for (const headers of [{ Range: "bytes=0-4" }, { "If-None-Match": '"another"' }]) {
      const request = new Request("http://localhost", { headers });
      await expect(download(changing, result, request, Date.now)).rejects.toMatchObject({ code: "link_expired" });
    }
  });

  test("DELETE on an unknown link answers 404", async () => {
    expect((await send(`/v1/files/499999-${"0".repeat(32)}?token=0`, { method: "DELETE" })).status).toBe(404);
  });
});

test("the storage contains a token only as a hash", async () => {
  const { id, token } = await stored();
  const object = await bucket.head(resultKey(id));
  expect(JSON.stringify(object?.customMetadata)).not.toContain(token);
  expect(id).not.toContain(token);
});
