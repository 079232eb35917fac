/** Tests payment links. One person prepares a call with a payment link, and another person pays for it. */
import { afterEach, describe, expect, test, vi } from "vitest";
import { signPayment } from "../../scripts/lib/pay.ts";
import { offerOf, send } from "../support/client.ts";
import { onePage } from "../support/pdf.ts";
import { bucket, emptyBucket, storedKeys } from "../support/storage.ts";

/** Private key of a well-known development account, which is a second payer. */
const OTHER_PAYER = "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d";

interface Offered {
  url: string;
  claim: string;
  cost: string;
  expires_at: string;
}

const ask = (fields: unknown, init: RequestInit = {}) =>
  send("/v1/quotes", { method: "POST", body: JSON.stringify(fields), ...init });
const uploaded = async (bytes: Uint8Array = onePage) => {
  const response = await send("/v1/uploads", { method: "POST", body: JSON.stringify({ name: "a.pdf" }) });
  const { handle, upload } = await response.json<{
    handle: string;
    upload: { url: string; headers: Record<string, string> };
  }>();
  expect((await send(upload.url, { method: "PUT", body: bytes, headers: upload.headers })).status).toBe(200);
  return handle;
};
const request = (fields: object) => ({ tool: "add_text_watermark", arguments: { text: "PAID BY LINK", ...fields } });
const opened = async (fields: object = {}): Promise<Offered> => {
  const response = await ask(request({ file: await uploaded(), ...fields }));
  expect(response.status).toBe(201);
  return response.json();
};
const pathOf = ({ url }: Offered) => `/v1/quotes/${new URL(url).pathname.split("/").at(-1)}/pay`;
const pay = async (offered: Offered, payment?: string) =>
  send(pathOf(offered), {
    method: "POST",
    headers: { "X-PAYMENT": payment ?? (await signPayment(await offerOf(pathOf(offered)))) },
  });
const claimOf = async ({ claim }: Offered) => {
  const response = await send(`/v1/quotes/${claim}`);
  expect(response.headers.get("Cache-Control")).toBe("no-store");
  return response.json<{ status: string; result?: { output: { url: string } } }>();
};
const codeOf = async (response: Response) => {
  const { status, code } = await response.json<{ status: number; code: string }>();
  expect(status).toBe(response.status);
  return [status, code];
};
const later = (ms: number) => vi.spyOn(Date, "now").mockReturnValue(Date.now() + ms);

afterEach(async () => {
  vi.restoreAllMocks();
  await emptyBucket();
});

describe("a payment link", () => {
  test("a payer can buy the call of a payment link with an x402 payment, and the link's claim returns the payer's result", async () => {
    const offered = await opened();
    expect(offered).toEqual({
      url: expect.stringMatching(/^http:\/\/localhost\/pay\/\d{6}-[0-9a-f]{32}$/),
      claim: expect.stringMatching(/^claim:\d{6}-[0-9a-f]{32}$/),
      cost: "0.05 USDC",
      expires_at: expect.any(String),
    });
    expect(await claimOf(offered)).toEqual({ status: "open" });
    const unpaid = await send(pathOf(offered), { method: "POST" });
    expect(unpaid.status).toBe(402);
    const bought = await pay(offered);
    expect(bought.status).toBe(200);
    expect(bought.headers.get("X-PAYMENT-RESPONSE")).toBeTruthy();
    const result = await bought.json();
    expect(await claimOf(offered)).toEqual({ status: "sold", result });
    const { output } = result as { output: { url: string } };
    expect((await send(output.url)).status).toBe(200);
  });

  test("a payment link is sold once: a second payer is refused, and the first payer gets the same result again", async () => {
    const offered = await opened();
    const offer = await offerOf(pathOf(offered));
    const payment = await signPayment(offer);
    const other = await signPayment(offer, OTHER_PAYER);
    const first = await (await pay(offered, payment)).json();
    expect(await codeOf(await pay(offered, other))).toEqual([409, "quote_sold"]);
    expect(await codeOf(await send(pathOf(offered), { method: "POST" }))).toEqual([409, "quote_sold"]);
    expect(await (await pay(offered, payment)).json()).toEqual(first);
    expect(await codeOf(await send(`/v1/quotes/${offered.claim}`, { method: "DELETE" }))).toEqual([409, "quote_sold"]);
  });

  test("a payment link sells to only one of several concurrent payers", async () => {
    const offered = await opened();
    const offer = await offerOf(pathOf(offered));
    const payments = await Promise.all([0, 1, 2, 3].map((n) => signPayment(offer, n % 2 ? OTHER_PAYER : undefined)));
    const answers = await Promise.all(payments.map((payment) => pay(offered, payment)));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, 409, 409, 409]);
    for (const answer of answers.filter(({ status }) => status !== 200))
      expect(["payment_in_progress", "quote_sold"]).toContain((await codeOf(answer))[1]);
    expect((await claimOf(offered)).status).toBe("sold");
  });

  test("a payment link stays open after a failed call, which costs nothing", async () => {
    const file = await uploaded(new TextEncoder().encode("%PDF-1.7\nnothing that follows is a PDF"));
    const offered = await opened({ file });
    const payment = await signPayment(await offerOf(pathOf(offered)));
    const failed = await pay(offered, payment);
    expect(failed.status).toBe(422);
    expect(await claimOf(offered)).toEqual({ status: "open" });
    expect((await send(pathOf(offered), { method: "POST" })).status).toBe(402);
  });

  test("a payment link stops working when the claim holder withdraws it", async () => {
    const offered = await opened();
    expect((await send(`/v1/quotes/${offered.claim}`, { method: "DELETE" })).status).toBe(204);
    const [key] = await storedKeys("quotes/");
    expect((await bucket.get(key!, {}))!.size).toBeLessThan(60); // The stored object no longer contains the request.
    expect(await codeOf(await send(pathOf(offered), { method: "POST" }))).toEqual([410, "quote_expired"]);
    expect(await codeOf(await send(new URL(offered.url).pathname))).toEqual([410, "quote_expired"]);
    expect((await claimOf(offered)).status).toBe("withdrawn");
  });

  test("a payment link expires after an hour and then charges nothing", async () => {
    const offered = await opened();
    const payment = await signPayment(await offerOf(pathOf(offered)));
    later(3_600_001);
    expect(await codeOf(await pay(offered, payment))).toEqual([410, "quote_expired"]);
    expect(await codeOf(await send(new URL(offered.url).pathname))).toEqual([410, "quote_expired"]);
    expect(await codeOf(await send(`/v1/quotes/${offered.claim}`))).toEqual([410, "quote_expired"]);
  });

  test("a payment link's claim cannot replace its id, and its id cannot replace its claim", async () => {
    const offered = await opened();
    const id = new URL(offered.url).pathname.split("/").at(-1)!;
    for (const [path, method] of [
      [`/v1/quotes/${id}`, "GET"],
      [`/v1/quotes/claim:${id}`, "GET"],
      [`/v1/quotes/claim:${id}`, "DELETE"],
      [`/v1/quotes/${offered.claim}/pay`, "POST"],
      [`/pay/${offered.claim}`, "GET"],
    ] as const)
      expect(await codeOf(await send(path, { method }))).toEqual([404, "quote_not_found"]);
  });

  test("a payment link is stored encrypted: neither its storage key nor its object reveals the request or its secrets", async () => {
    const offered = await opened();
    const [key] = await storedKeys("quotes/");
    const stored = `${key} ${await (await bucket.get(key!, {}))!.json()}`;
    const id = new URL(offered.url).pathname.split("/").at(-1)!.split("-")[1]!;
    for (const secret of ["PAID BY LINK", "upload:", id, offered.claim.split("-")[1]!])
      expect(stored).not.toContain(secret);
  });
});

describe("the request for a payment link", () => {
  test("the request for a payment link is validated like the call itself", async () => {
    const refusal = await ask(request({ file: "https://example.com/a.pdf", opacity: 7 }));
    expect(await refusal.json()).toMatchObject({ status: 400, code: "invalid_request", errors: [{ path: "opacity" }] });
    expect(await storedKeys("quotes/")).toEqual([]);
  });

  test.each([
    ["a data URI", "data:application/pdf;base64,JVBERi0xLjcK"],
    ["base64", btoa("%PDF-1.7")],
    ["a path", "/home/me/a.pdf"],
    ["an object", { download_url: "https://example.com/a.pdf", file_id: "1" }],
  ])("the request for a payment link rejects %s as `file`", async (_what, file) => {
    expect(await codeOf(await ask(request({ file })))).toEqual([400, "invalid_request"]);
  });

  test.each([
    ["no object", [], 400],
    ["an unknown tool", { tool: "remove_watermark", arguments: {} }, 400],
    ["no arguments", { tool: "add_text_watermark" }, 400],
    ["an unknown field", { ...request({ file: "https://example.com/a.pdf" }), price: "0.01" }, 400],
    ["a long body", request({ file: "https://example.com/a.pdf", text: "A".repeat(17_000) }), 413],
  ])("the request for a payment link rejects %s", async (_what, fields, status) => {
    const response = await ask(fields);
    expect(response.status).toBe(status);
    expect(response.headers.get("Content-Type")).toBe("application/problem+json");
  });

  test("the request for a payment link accepts the arguments as an object or as a JSON string", async () => {
    const { tool, arguments: fields } = request({ file: "https://example.com/a.pdf" });
    expect((await ask({ tool, arguments: JSON.stringify(fields) })).status).toBe(201);
  });

  test("the service limits how many payment links one address may create", async () => {
    const headers = { "CF-Connecting-IP": "203.0.113.7" };
    const fields = request({ file: "https://example.com/a.pdf" });
    for (let made = 0; made < 20; made++) expect((await ask(fields, { headers })).status).toBe(201);
    expect(await codeOf(await ask(fields, { headers }))).toEqual([429, "too_many_requests"]);
  });
});

describe("the page of a payment link", () => {
  const pageOf = async (fields: object) => {
    const response = await send(new URL((await opened(fields)).url).pathname);
    expect(response.status).toBe(200);
    return { response, html: await response.text() };
  };

  test("the page of a payment link shows the file's name, the settings and the price, but no query or password", async () => {
    const { html } = await pageOf({
      file: "https://files.example.com/deep/contract%20final.pdf?token=SECRETTOKEN#SECRETHASH",
      password: "SECRETWORD",
      text: "FOR ANNE",
      opacity: 0.25,
    });
    expect(html).toContain("contract final.pdf from files.example.com");
    for (const shown of ["FOR ANNE", "25 %", "0.05 USDC"]) expect(html).toContain(shown);
    for (const hidden of ["SECRETTOKEN", "SECRETHASH", "SECRETWORD", "/deep/"]) expect(html).not.toContain(hidden);
  });

  test("the page of a payment link escapes everything that the caller wrote", async () => {
    const { html, response } = await pageOf({
      file: "https://example.com/%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E.pdf",
      text: "<script>alert(1)</script>\"'",
    });
    expect(html).not.toContain("<script>alert");
    expect(html).not.toContain("<img src=x");
    expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(response.headers.get("Content-Security-Policy")).toMatch(/script-src 'self'/);
  });

  test("the page of a payment link is not cached, indexed or framed, and never sends its address to other sites", async () => {
    const { response } = await pageOf({});
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "cache-control": "no-store",
      "x-robots-tag": "noindex",
      "referrer-policy": "no-referrer",
      "content-security-policy": expect.stringContaining("frame-ancestors 'none'"),
    });
  });

  test.each([
    [404, "999999"],
    [410, "123456"],
  ])(
    "an unknown payment link shows an error page with status %d if its id begins with the expiry hour %s",
    async (status, group) => {
      const response = await send(`/pay/${group}-${"0".repeat(32)}`, { headers: { Accept: "text/html" } });
      expect([response.status, response.headers.get("Content-Type")]).toEqual([
        status,
        expect.stringContaining("html"),
      ]);
    },
  );
});

describe("the preview of a payment link", () => {
  const read = (offered: Offered, field = "file", headers: Record<string, string> = { Origin: "http://localhost" }) =>
    send(`/v1/quotes/${new URL(offered.url).pathname.split("/").at(-1)}/preview/${field}`, { method: "POST", headers });
  const page = async ({ url }: Offered) => (await send(url, { headers: { Accept: "text/html" } })).text();

  test("the page of a payment link can read an uploaded file through a response that browsers never display", async () => {
    const offered = await opened();
    const response = await read(offered);
    expect(response.status).toBe(200);
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(onePage);
    const headers = Object.fromEntries(response.headers);
    expect(headers).toMatchObject({
      "content-type": "application/octet-stream",
      "content-disposition": "attachment",
      "content-security-policy": expect.stringContaining("sandbox"),
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
    });
    expect(headers).not.toHaveProperty("access-control-allow-origin");
  });

  test("the preview of a payment link returns the uploaded file only to pages of the service", async () => {
    const offered = await opened();
    const foreign: Record<string, string>[] = [{}, { Origin: "https://example.com" }, { Origin: "null" }];
    for (const headers of foreign)
      expect(await codeOf(await read(offered, "file", headers))).toEqual([404, "not_found"]);
  });

  test("payment link pages may read an upload at most five times in total, even through several links", async () => {
    const file = await uploaded();
    const [first, second] = [await opened({ file }), await opened({ file, text: "ANOTHER LINK" })];
    for (const offered of [first, second, first, second, first]) expect((await read(offered)).status).toBe(200);
    const refused = await read(second);
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0);
    expect(await codeOf(refused)).toEqual([429, "too_many_requests"]);
    expect((await pay(second)).status).toBe(200);
  });

  test("a payment link has a preview only for an upload without a password", async () => {
    const none = "There is no preview. You see the mark";
    const ofUrl = await opened({ file: "https://files.example.com/one-page.pdf" });
    const withPassword = await opened({ password: "secret of the file" });
    for (const offered of [ofUrl, withPassword]) {
      expect(await page(offered)).toContain(none);
      expect(await page(offered)).not.toContain("secret of the file");
      expect(await codeOf(await read(offered))).toEqual([404, "not_found"]);
    }
    const offered = await opened();
    expect(await page(offered)).not.toContain(none);
    expect(await codeOf(await read(offered, "image"))).toEqual([404, "not_found"]);
  });

  test("the preview of a payment link ends when the link is sold or withdrawn", async () => {
    const sold = await opened();
    expect((await pay(sold)).status).toBe(200);
    expect(await codeOf(await read(sold))).toEqual([409, "quote_sold"]);
    const withdrawn = await opened();
    expect((await send(`/v1/quotes/${withdrawn.claim}`, { method: "DELETE" })).status).toBe(204);
    expect((await codeOf(await read(withdrawn)))[0]).toBe(410);
  });
});

test("the request for a payment link reports errors that can be found without reading the files", async () => {
  const missing = await ask(request({ file: `upload:${"0".repeat(6)}-${"0".repeat(32)}` }));
  expect(missing.status).toBe(400);
  expect(await missing.json()).toMatchObject({ code: "invalid_request", errors: [{ path: "file" }] });
  const letters = await ask(request({ file: await uploaded(), text: "\u{13000}" }));
  expect(await letters.json()).toMatchObject({ code: "invalid_request", errors: [{ path: "text" }] });
});
