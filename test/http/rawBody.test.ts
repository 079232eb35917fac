import { afterEach, describe, expect, test } from "vitest";
import { signPayment } from "../../scripts/lib/pay.ts";
import { callPaid, formOf, IMAGE, offerOf, send, TEXT } from "../support/client.ts";
import { onePage } from "../support/pdf.ts";
import { RED_PNG } from "../support/png.ts";
import { emptyBucket, storedKeys } from "../support/storage.ts";

afterEach(emptyBucket);

/** Pays for a call whose body is the PDF and whose query holds the other fields. */
async function call(
  path: string,
  query: string | Record<string, string>,
  { body = onePage as BodyInit, payment = "", headers = {} } = {},
): Promise<Response> {
  return send(`${path}?${typeof query === "string" ? query : new URLSearchParams(query)}`, {
    method: "POST",
    body,
    headers: {
      "Content-Type": "application/pdf",
      "X-PAYMENT": payment || (await signPayment(await offerOf(path))),
      ...headers,
    },
  });
}
const problemOf = async (response: Response) =>
  (await response.json()) as { code: string; errors?: { path: string }[] };

describe("a PDF as the body", () => {
  test("a PDF sent as the raw body is marked according to the query parameters", async () => {
    const fields = { text: "Entwurf äöü 社外秘 + & =", opacity: "0.5", position: "top-right", filename: "ü.pdf" };
    const response = await call(TEXT, fields);
    const { output } = await response.json<{ output: { url: string } }>();
    expect((await send(output.url)).headers.get("Content-Disposition")).toContain("%C3%BC.pdf");
  });

  test("a call with the PDF as the raw body counts as the same request as a form with the same PDF and equal fields", async () => {
    const payment = await signPayment(await offerOf(TEXT));
    const sent = await (await call(TEXT, { text: "SAME", opacity: "0.5" }, { payment })).json();
    const form = formOf({ file: new File([onePage], "a.pdf"), text: "SAME", opacity: ".50" });
    expect(await (await callPaid(TEXT, form, payment, undefined)).json()).toMatchObject({
      code: "payment_already_used",
    });
    const key = { headers: { "Idempotency-Key": crypto.randomUUID() } };
    const first = await (await call(TEXT, { text: "SAME" }, key)).json();
    const again = formOf({ file: new File([onePage], "a.pdf"), text: "SAME" });
    expect(await (await callPaid(TEXT, again, undefined, key.headers["Idempotency-Key"])).json()).toEqual(first);
    expect(first).not.toEqual(sent);
  });

  test("a PDF sent as the raw body is marked with the image that the query parameter `image` refers to", async () => {
    const { handle, upload } = await (await send("/v1/uploads", { method: "POST", body: '{"type":"image"}' })).json<{
      handle: string;
      upload: { url: string };
    }>();
    await send(upload.url, { method: "PUT", body: RED_PNG, headers: { "Content-Length": String(RED_PNG.length) } });
    for (const image of [handle, "https://files.example.com/red.png"])
      expect(await (await call(IMAGE, { image, scale: "0.2" })).json()).toMatchObject({ output: { pages: 1 } });
  });

  test.each([
    [{ text: "A", opacity: "7" }, "opacity"],
    [{ text: "A", opacity: "much" }, "opacity"],
    [{ text: "A", opacite: "0.5" }, "opacite"],
    [{ opacity: "0.5" }, "text"],
    [{ text: "\0" }, "text"],
    [{ text: "A", file: "https://files.example.com/one-page.pdf" }, "file"],
    ["text=A&text=B", "text"],
    ["text=A&__proto__=B", "__proto__"],
    ["text=caf%E9", "text"], // Latin-1
    ["text=caf%E9%20100%", "text"],
  ])("the service rejects an invalid query if the body is the PDF: %j", async (query, path) => {
    expect(await problemOf(await call(TEXT, query))).toMatchObject({ code: "invalid_request", errors: [{ path }] });
  });

  test.each([
    ["nothing", new Uint8Array(), "not_a_pdf"],
    ["an image", new Uint8Array([...RED_PNG, ...new Uint8Array(2000)]), "not_a_pdf"],
  ])("the service rejects an application/pdf body that contains %s", async (_, body, code) => {
    expect(await problemOf(await call(TEXT, { text: "A" }, { body }))).toMatchObject({ code });
  });

  test.each([
    ["JSON", () => JSON.stringify({ file: "https://files.example.com/one-page.pdf", text: "A" }), "application/json"],
    ["a form", () => formOf({ file: "https://files.example.com/one-page.pdf", text: "A" }), undefined],
  ])("the service rejects request fields in the query if the body is %s", async (_, bodyOf, type) => {
    for (const [query, status] of [
      ["opacity=0.5", 400],
      ["Opactiy=0.5", 400],
      ["image=x", 400],
      ["TEXT=x", 400],
      ["colour=red", 400],
      ["fileName=x", 400],
      ["utm_source=mail&utm_content=x&_=1&cb=2&ref=3", 200],
      ["context=x&profile=x&fileId=x&name=x&size=x&test=x&next=x&locale=x&location=x&lng=x&language=x", 200],
    ] as const) {
      const headers = { "X-PAYMENT": await signPayment(await offerOf(TEXT)), ...(type && { "Content-Type": type }) };
      const response = await send(`${TEXT}?${query}`, { method: "POST", headers, body: bodyOf() });
      expect(response.status).toBe(status);
      if (status === 200) continue;
      const message = query === "Opactiy=0.5" ? "in the body, as `opacity`" : "in the body";
      const error = { path: query.split("=")[0], message: expect.stringContaining(message) };
      expect((await problemOf(response)).errors).toMatchObject([error]);
    }
  });

  test("the service answers 402 to an unpaid PDF body and stores nothing", async () => {
    const headers = { "Content-Type": "application/pdf" };
    const response = await send(`${TEXT}?text=A`, { method: "POST", headers, body: onePage });
    expect(response.status).toBe(402);
    expect(await storedKeys()).toEqual([]);
  });

  test("a PDF sent as the raw body has the same size limit as a form", async () => {
    const headers = { "Content-Type": "application/pdf", "Content-Length": "100000001" };
    const response = await send(`${TEXT}?text=A`, { method: "POST", headers, body: onePage });
    expect(await problemOf(response)).toMatchObject({ code: "body_too_large" });
  });

  test("the service marks a PDF that is sent as application/octet-stream", async () => {
    const response = await call(TEXT, { text: "A" }, { headers: { "Content-Type": "application/octet-stream" } });
    expect(await response.json()).toMatchObject({ output: { pages: 1 } });
  });

  test("the error names the right content type if a PDF is sent as a form, which is curl's default", async () => {
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    expect(await problemOf(await call(TEXT, { text: "A" }, { headers }))).toMatchObject({
      code: "unsupported_media_type",
      detail: expect.stringContaining("`Content-Type: application/pdf`"),
    });
  });

  test("the service rejects a PDF body with an unsupported content type and names the supported types", async () => {
    const headers = { "Content-Type": "text/plain" };
    const response = await call(TEXT, { text: "A" }, { headers });
    expect(await problemOf(response)).toMatchObject({ code: "unsupported_media_type" });
    expect(response.headers.get("Accept-Post")).toContain("application/pdf");
  });
});
