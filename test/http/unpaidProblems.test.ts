import { describe, expect, test } from "vitest";
import { encode } from "../support/bytes.ts";
import { formOf, IMAGE, send, TEXT } from "../support/client.ts";
import { onePage } from "../support/pdf.ts";
import { strict402 } from "../support/x402.ts";

const file = "https://files.example.com/one-page.pdf";
const FORM = { "Content-Type": "application/x-www-form-urlencoded" };
const JSON_TYPE = { "Content-Type": "application/json" };

interface Unpaid {
  problems?: { path: string; message: string }[];
  unchecked?: string;
}

/** Sends a body with its length and without a payment. Returns the problems that the 402 lists. */
async function problemsOf(path: string, body: string | Uint8Array<ArrayBuffer> = "", headers: object = JSON_TYPE) {
  const bytes = typeof body === "string" ? encode(body) : body;
  const length = { "Content-Length": String(bytes.length) };
  const response = await send(path, { method: "POST", headers: { ...headers, ...length }, body: bytes });
  expect(response.status).toBe(402);
  const unpaid = await response.json<Unpaid>();
  strict402.parse(unpaid);
  return unpaid.problems;
}

describe("the 402 of a call without a payment lists errors of the request", () => {
  test.each<[string, string, string | undefined, object | undefined, string, RegExp]>([
    ["a wrong value in JSON", TEXT, JSON.stringify({ file, text: "A", opacity: 50 }), undefined, "opacity", /0\.5$/],
    ["a missing field in JSON", TEXT, JSON.stringify({ text: "A" }), undefined, "file", /^is required/],
    ["an unknown field in JSON", IMAGE, JSON.stringify({ file, logo: file }), undefined, "logo", /`image`/],
    ["malformed JSON", TEXT, "{'file'", undefined, "", /^The body is not well-formed JSON/],
    ["a repeated key", TEXT, `{"file":"${file}","text":"A","text":"B"}`, undefined, "text", /only once/],
    ["a local path", TEXT, JSON.stringify({ file: "/tmp/a.pdf", text: "A" }), undefined, "file", /cannot be read/],
    ["a wrong value in a form", TEXT, `file=${file}&text=A&scale=1`, FORM, "scale", /not a field of this operation/],
    ["a query without a body", `${TEXT}?txt=A`, "", {}, "txt", /Did you mean `text`\?$/],
    ["a field in the query besides JSON", `${TEXT}?text=A`, "{}", undefined, "text", /must be in the body/],
  ])("the 402 of an unpaid call lists an error in the request: %s", async (_, path, body, headers, field, message) => {
    expect(await problemsOf(path, body, headers)).toEqual([{ path: field, message: expect.stringMatching(message) }]);
  });

  test("the 402 of an unpaid call lists errors in the query even if the body is a large PDF", async () => {
    const headers = { "Content-Type": "application/pdf" };
    const pdf = new Uint8Array(100_000);
    expect(await problemsOf(`${TEXT}?text=A&position=lower+right`, pdf, headers)).toEqual([
      { path: "position", message: "is not known. Did you mean bottom-right?" },
    ]);
    expect(await problemsOf(`${TEXT}?text=A`, pdf, headers)).toBeUndefined();
  });

  test("the 402 of an unpaid call lists at most ten errors in the request", async () => {
    const fields = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`f${i}`, 1]));
    expect(await problemsOf(TEXT, JSON.stringify(fields))).toHaveLength(10);
  });
});

describe("the 402 of a call without a payment lists no errors of the request", () => {
  test.each<[string, string | Uint8Array<ArrayBuffer>, object?]>([
    ["if the request has none", JSON.stringify({ file, text: "A" })],
    ["if a form has none", `file=${file}&text=A&opacity=0.5`, FORM],
    ["if the body has more than 16 KB", JSON.stringify({ nonsense: "x".repeat(17_000) })],
  ])("the 402 of an unpaid call lists no errors in the request %s", async (_, body, headers) => {
    expect(await problemsOf(TEXT, body, headers)).toBeUndefined();
  });

  test("the 402 of an unpaid call lists no errors if the body is a form with files", async () => {
    const body = formOf({ file: new File([onePage], "a.pdf"), nonsense: "1" });
    const response = await send(TEXT, { method: "POST", body });
    const unpaid = await response.json<Unpaid>();
    expect(unpaid).not.toHaveProperty("problems");
    expect(unpaid.unchecked).toMatch(/^The body is read only after the payment. .* as JSON of at most 16384 bytes/);
  });

  test("the 402 of an unpaid call lists no errors if the body does not arrive within a second", async () => {
    const { readable, writable } = new FixedLengthStream(100);
    const writer = writable.getWriter();
    void writer.write(encode('{"text":')).catch(() => undefined);
    const headers = { ...JSON_TYPE, "Content-Length": "100" };
    const response = await send(TEXT, { method: "POST", headers, body: readable });
    expect(response.status).toBe(402);
    const unpaid = await response.json<Unpaid>();
    expect([unpaid.problems, unpaid.unchecked]).toEqual([undefined, expect.any(String)]);
    await writer.abort().catch(() => undefined);
  });

  test("a 402 lists no request errors if the call has a payment", async () => {
    const headers = { ...JSON_TYPE, "X-PAYMENT": "nonsense" };
    const response = await send(TEXT, { method: "POST", headers, body: '{"nonsense":1}' });
    expect(await response.json<Unpaid>()).not.toHaveProperty("problems");
  });
});
