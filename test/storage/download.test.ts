import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { deleteResult, keyOf, storeResult } from "../../src/storage/results.ts";
import { send } from "../support/client.ts";

const PDF = new TextEncoder().encode("%PDF-1.7 as far as storage cares");
const stored = (ttlSeconds = 3600) =>
  storeResult(env.RESULTS, { length: PDF.length, stream: () => new Response(PDF).body! }, ttlSeconds);
const linkTo = ({ id, token }: { id: string; token: string }) => `/v1/files/${id}.pdf?token=${token}`;

describe("a link", () => {
  test("gives the file, privately", async () => {
    const response = await send(linkTo(await stored()));
    expect(response.status).toBe(200);
    expect(await response.bytes()).toEqual(PDF);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "application/pdf",
      "content-length": String(PDF.length),
      "accept-ranges": "bytes",
      "cache-control": expect.stringMatching(/^private, max-age=(3600|35\d\d)$/),
      "x-content-type-options": "nosniff",
      "content-disposition": 'attachment; filename="watermarked.pdf"',
      "content-security-policy": "sandbox",
    });
  });

  test("answers HEAD with the same headers and no body", async () => {
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
  ])("serves the range %s", async (range, status, text, contentRange) => {
    const response = await send(linkTo(await stored()), { headers: { Range: range } });
    expect([response.status, await response.text(), response.headers.get("Content-Range")]).toEqual([
      status,
      text,
      contentRange,
    ]);
  });

  test("refuses a range past the end with 416 and the size", async () => {
    const response = await send(linkTo(await stored()), { headers: { Range: "bytes=1000-" } });
    expect(response.status).toBe(416);
    expect(response.headers.get("Content-Range")).toBe(`bytes */${PDF.length}`);
    expect(await response.json()).toMatchObject({ code: "range_not_satisfiable" });
  });

  test("answers 304 to a client that has the file", async () => {
    const link = linkTo(await stored());
    const first = await send(link);
    await first.body?.cancel();
    const again = await send(link, { headers: { "If-None-Match": first.headers.get("ETag")! } });
    expect(again.status).toBe(304);
    expect(again.headers.get("ETag")).toBe(first.headers.get("ETag"));
  });

  test.each([
    ["none", ""],
    ["empty", "?token="],
    ["wrong", `?token=${"0".repeat(64)}`],
    ["another's length", "?token=0"],
  ])("with its token %s is a 403", async (_, query) => {
    const response = await send(`/v1/files/${(await stored()).id}.pdf${query}`);
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ code: "invalid_token" });
  });

  test("that has expired is a 410, to the second", async () => {
    const response = await send(linkTo(await stored(0)));
    expect(response.status).toBe(410);
    expect(await response.json()).toMatchObject({ code: "link_expired" });
  });

  test("whose file is gone after its time is still a 410", async () => {
    const result = await stored(-7200);
    await deleteResult(env.RESULTS, result.id);
    expect((await send(linkTo(result))).status).toBe(410);
  });

  test.each(["nothing", "499999-0123", `499999-${"0".repeat(32)}`, `../${"0".repeat(32)}`])(
    "to %s is a 404",
    async (id) => {
      const response = await send(`/v1/files/${encodeURIComponent(id)}.pdf?token=0`);
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ code: "file_not_found" });
    },
  );

  test("answers other methods with 405", async () => {
    const response = await send(linkTo(await stored()), { method: "DELETE" });
    expect(response.status).toBe(405);
    expect(response.headers.get("Allow")).toBe("GET, HEAD");
  });
});

test("the token itself is kept nowhere", async () => {
  const { id, token } = await stored();
  const object = await env.RESULTS.head(keyOf(id));
  expect(JSON.stringify(object?.customMetadata)).not.toContain(token);
  expect(id).not.toContain(token);
});
