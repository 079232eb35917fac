import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { signPayment } from "../../scripts/lib/pay.ts";
import { IMAGE_POSITIONS, TEMPLATES } from "../../src/engine/index.ts";
import { result } from "../../src/service/request/schemas.ts";
import { deleteResult } from "../../src/storage/results.ts";
import { encode } from "../support/bytes.ts";
import { callPaid, dataUri, formOf, IMAGE, ORIGIN, offerOf, send, TEXT } from "../support/client.ts";
import { onePage, pagesOf, pdfOf, streamOf } from "../support/pdf.ts";
import { RED_PNG } from "../support/png.ts";

const URL_OF_PDF = "https://files.example.com/one-page.pdf";
const URL_OF_PNG = "https://files.example.com/red.png";
const pdf = dataUri("application/pdf", onePage);
/** PDF whose data URI is longer than any string that the service treats as text. */
const longPdf = pdfOf([
  "<< /Type /Catalog /Pages 2 0 R >>",
  "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
  "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R >>",
  streamOf(" ".repeat(300_000)),
]);
const png = dataUri("image/png", RED_PNG);
const upload = (bytes: Uint8Array<ArrayBuffer>, name: string) => new File([bytes], name);

interface Problem {
  code: string;
  detail: string;
  status: number;
  request_id: string;
  errors?: { path: string; message: string }[];
}

test("the Overprint-Notice header reports invalidated signatures and unmarked attachments", async () => {
  const portfolio = pdfOf([
    "<< /Type /Catalog /Pages 2 0 R /Collection << >> /AcroForm << /SigFlags 1 /Fields [<< /FT /Sig /V << /Type /Sig >> >>] >> >>",
    "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
    "<< /Type /Page /Parent 2 0 R >>",
  ]);
  const noticeOf = async (file: Uint8Array<ArrayBuffer>) => {
    const { status, headers } = await callPaid(TEXT, { file: dataUri("application/pdf", file), text: "DRAFT" });
    expect(status).toBe(200);
    return headers.get("Overprint-Notice");
  };
  expect(await noticeOf(portfolio)).toBe("signatures-invalidated, attachments-not-marked");
  expect(await noticeOf(onePage)).toBeNull();
});

test.each<[string, object | FormData, string]>([
  ["a form part", formOf({ file: upload(onePage, "my contract.pdf"), text: "{filename}" }), "my contract.pdf"],
  ["a URL", { file: `${URL_OF_PDF}?v=1`, text: "{filename}" }, "one-page.pdf"],
  ["a data URI with the field filename", { file: pdf, text: "{filename}", filename: "offer" }, "offer.pdf"],
  ["a data URI", { file: pdf, text: "{filename}" }, "watermarked.pdf"],
])("the placeholder {filename} is replaced with the name of %s", async (_, body, name) => {
  const markedOf = async (sent: object | FormData) => {
    const { output } = result.parse(await (await callPaid(TEXT, sent)).json());
    return Buffer.from(await (await send(output.url)).arrayBuffer()).toString("latin1");
  };
  expect(await markedOf(body)).toBe(await markedOf({ file: pdf, text: name }));
});

test("the error lists the known placeholders if a text contains an unknown placeholder", async () => {
  const { errors } = await (await callPaid(TEXT, { file: pdf, text: "No. {page:12}" })).json<Problem>();
  expect(errors).toEqual([
    {
      path: "text",
      message:
        "has {page:12}, which is not a placeholder. The placeholders are {page}, {page:6}, {pages}, {date}, {date:iso}, {date:long}, {date:us}, {date:eu}, {time}, {filename}; write {{ for a brace",
    },
  ]);
});

describe("a paid call", () => {
  test.each<[string, string, object | FormData]>([
    ["text, JSON, URL", TEXT, { file: URL_OF_PDF, text: "DRAFT" }],
    ["text, JSON, redirected URL", TEXT, { file: "https://files.example.com/moved.pdf", text: "DRAFT" }],
    ["text, JSON, data URI", TEXT, { file: pdf, text: "DRAFT" }],
    ["text, multipart, upload", TEXT, formOf({ file: upload(onePage, "a.pdf"), text: "DRAFT", opacity: "0.5" })],
    ["text, multipart, URL", TEXT, formOf({ file: URL_OF_PDF, text: "DRAFT" })],
    ["text, multipart, data URI", TEXT, formOf({ file: pdf, text: "DRAFT" })],
    ["image, JSON, URLs", IMAGE, { file: URL_OF_PDF, image: URL_OF_PNG }],
    ["image, JSON, data URIs", IMAGE, { file: pdf, image: png }],
    ["text, JSON, bare base64", TEXT, { file: onePage.toBase64(), text: "DRAFT" }],
    ["text, JSON, long bare base64", TEXT, { file: longPdf.toBase64(), text: "DRAFT" }],
    ["text, multipart, bare base64", TEXT, formOf({ file: onePage.toBase64(), text: "DRAFT" })],
    ["text, multipart, long bare base64", TEXT, formOf({ file: longPdf.toBase64(), text: "DRAFT" })],
    ["image, JSON, bare base64", IMAGE, { file: pdf, image: RED_PNG.toBase64() }],
    ["image, JSON, bare base64url", IMAGE, { file: pdf, image: RED_PNG.toBase64({ alphabet: "base64url" }) }],
    [
      "image, multipart, uploads",
      IMAGE,
      formOf({ file: upload(onePage, "a.pdf"), image: upload(RED_PNG, "a.png"), scale: "0.2" }),
    ],
    ["image, multipart, URLs", IMAGE, formOf({ file: URL_OF_PDF, image: URL_OF_PNG })],
    ["image, multipart, bare base64", IMAGE, formOf({ file: upload(onePage, "a.pdf"), image: RED_PNG.toBase64() })],
  ])("a paid call returns the operation, the cost and a link to the marked PDF: %s", async (_, path, body) => {
    const response = await callPaid(path, body);
    expect(response.status).toBe(200);
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    const receipt = JSON.parse(atob(response.headers.get("X-PAYMENT-RESPONSE")!));
    expect(receipt).toMatchObject({ success: true, network: "base-sepolia" });

    const body_ = result.parse(await response.json());
    expect(body_.operation).toBe(path === TEXT ? "watermark.text" : "watermark.image");
    expect(body_.cost).toBe("0.05 USDC");
    expect(body_.output.url.startsWith(`${ORIGIN}/v1/files/`)).toBe(true);
    expect(Date.parse(body_.output.expires_at)).toBeGreaterThan(Date.now() + 23 * 3_600_000);

    const download = await send(body_.output.url);
    const bytes = new Uint8Array(await download.arrayBuffer());
    expect(bytes.length).toBe(body_.output.bytes);
    expect(new TextDecoder("latin1").decode(bytes.subarray(0, 5))).toBe("%PDF-");
    expect(bytes.length).toBeGreaterThan(onePage.length);
  });

  test("a paid call returns the number of pages of the result", async () => {
    const file = dataUri("application/pdf", pagesOf(Array(7).fill("/MediaBox [0 0 200 200]")));
    const response = await callPaid(TEXT, { file, text: "7" });
    expect((await response.json<{ output: { pages: number } }>()).output.pages).toBe(7);
  });
});

describe("the file name of the result", () => {
  test.each([
    [undefined, "attachment; filename=watermarked.pdf"],
    ["contract", "attachment; filename=contract.pdf"],
    ["CONTRACT.PDF", "attachment; filename=CONTRACT.PDF"],
    ["契約 2026", "attachment; filename=\"?? 2026.pdf\"; filename*=UTF-8''%E5%A5%91%E7%B4%84%202026.pdf"],
    [
      "😀".repeat(100),
      expect.stringMatching(/^attachment; filename="[?]{200}\.pdf"; filename\*=UTF-8''(%F0%9F%98%80){100}\.pdf$/),
    ],
  ])("the result has the requested file name with the extension .pdf: %j", async (filename, disposition) => {
    for (const body of [
      { file: pdf, text: "A", filename },
      formOf({ file: pdf, text: "A", ...(filename && { filename }) }),
    ]) {
      const { output } = await (await callPaid(TEXT, body)).json<{ output: { url: string } }>();
      const head = await send(output.url, { method: "HEAD" });
      expect(head.headers.get("Content-Disposition")).toEqual(disposition);
    }
  });
});

test.each<[string, (url: string) => Promise<unknown>]>([
  ["its link was revoked", (url) => send(url, { method: "DELETE" })],
  ["storage has lost the file", (url) => deleteResult(env.RESULTS, /([\w-]+)\.pdf/.exec(url)![1]!)],
])("a repeated call is not charged and asks for no new payment after %s", async (_, lose) => {
  const payment = await signPayment(await offerOf(TEXT));
  const key = crypto.randomUUID();
  const call = () => callPaid(TEXT, { file: pdf, text: "A" }, payment, key);
  const { output } = await (await call()).json<{ output: { url: string } }>();
  expect(await (await call()).json()).toMatchObject({ output });
  await lose(output.url);
  const again = await call();
  const { code, detail } = await again.json<Problem>();
  expect([again.status, code]).toEqual([409, "payment_already_used"]);
  expect(detail).toMatch(/the result is no longer stored. You are not charged again/);
  expect(detail).toMatch(/ask the operator for a refund/);
});

describe("fields of a request", () => {
  const places = [...IMAGE_POSITIONS, "top-center", "middle-left", "bottom-center"];
  test.each<[string, object]>([
    ...places.flatMap((position): [string, object][] => [
      [TEXT, { text: "A", position, template: "stamp" }],
      [IMAGE, { image: png, position }],
    ]),
    ...Object.keys(TEMPLATES).map((template): [string, object] => [TEXT, { text: "A\nB", template }]),
    [
      TEXT,
      { text: "A", position: "diagonal", opacity: 1, rotation: -45.5, color: "#ff0000", font_size: 12, margin: 0 },
    ],
    [TEXT, { text: "x".repeat(500) }],
    [IMAGE, { image: png, opacity: 0, scale: 1, margin: 50, rotation: -90 }],
  ])("the operation %s accepts these fields: %j", async (path, fields) => {
    const response = await callPaid(path, { file: pdf, ...fields });
    expect(await response.json()).toMatchObject({ output: { pages: 1 } });
  });
});

describe("invalid input", () => {
  const text = { file: pdf, text: "A" };
  const image = { file: pdf, image: png };
  const encrypted = pdfWithTrailer(
    "/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O (................................) /U (................................) >>",
  );

  test.each<[string, number, string, object | FormData, string?]>([
    [TEXT, 400, "invalid_request", {}, "file"],
    [TEXT, 400, "invalid_request", { file: pdf }, "text"],
    [TEXT, 400, "invalid_request", { text: "A" }, "file"],
    [IMAGE, 400, "invalid_request", { file: pdf }, "image"],
    [TEXT, 400, "invalid_request", { ...text, file: 7 }, "file"],
    [TEXT, 400, "invalid_request", { ...text, file: "ftp://example.com/a.pdf" }, "file"],
    [TEXT, 400, "invalid_request", { ...text, file: "data:application/pdf,%25PDF" }, "file"],
    [TEXT, 400, "invalid_request", { ...text, file: "data:application/pdf;base64,????" }, "file"],
    [TEXT, 400, "invalid_request", { ...text, text: "" }, "text"],
    [TEXT, 400, "invalid_request", { ...text, text: " \n " }, "text"],
    [TEXT, 400, "invalid_request", { ...text, text: "x".repeat(501) }, "text"],
    [TEXT, 400, "invalid_request", { ...text, text: "a\tb" }, "text"],
    [TEXT, 400, "invalid_request", { ...text, text: "\ud800" }, "text"],
    [TEXT, 400, "invalid_request", { ...text, text: "\ufdd0" }, "text"],
    [TEXT, 400, "invalid_request", { ...text, text: "Z\ufffdrich" }, "text"],
    [TEXT, 400, "invalid_request", formOf({ file: upload(onePage, "a.pdf"), text: new Blob(["A"]) }), "text"],
    [TEXT, 400, "invalid_request", { ...text, text: "Page {number}" }, "text"],
    [TEXT, 400, "invalid_request", { ...text, opacity: 1.01 }, "opacity"],
    [TEXT, 400, "invalid_request", { ...text, opacity: "0.5" }, "opacity"],
    [TEXT, 400, "invalid_request", { ...text, rotation: 361 }, "rotation"],
    [TEXT, 400, "invalid_request", { ...text, color: "red" }, "color"],
    [TEXT, 400, "invalid_request", { ...text, font_size: 0 }, "font_size"],
    [TEXT, 400, "invalid_request", { ...text, margin: -1 }, "margin"],
    [TEXT, 400, "invalid_request", { ...text, position: "middle of nowhere" }, "position"],
    [TEXT, 400, "invalid_request", { ...text, template: "fancy" }, "template"],
    [TEXT, 400, "invalid_request", { ...text, image: png }, "image"],
    ...["", "x".repeat(201), "a/b", "a\\b", "a\nb", "a\x00", "a\x7f", "a\ud800"].map(
      (filename) =>
        [TEXT, 400, "invalid_request", { ...text, filename }, "filename"] as [string, number, string, object, string],
    ),
    [IMAGE, 400, "invalid_request", { ...image, filename: "../a" }, "filename"],
    [IMAGE, 400, "invalid_request", { ...image, scale: 0 }, "scale"],
    [IMAGE, 400, "invalid_request", { ...image, scale: 1.5 }, "scale"],
    [IMAGE, 400, "invalid_request", { ...image, rotation: -361 }, "rotation"],
    [IMAGE, 400, "invalid_request", { ...image, position: "diagonal" }, "position"],
    [TEXT, 400, "invalid_request", { ...text, position: "auto" }, "position"],
    [TEXT, 400, "invalid_request", { ...text, position: "auto", template: "sidebar" }, "position"],
    [IMAGE, 400, "invalid_request", { ...image, image: "not base64!" }, "image"],
    [TEXT, 400, "invalid_request", formOf({ file: pdf, text: "A", opacity: "half" }), "opacity"],
    [TEXT, 422, "unsupported_character", { ...text, text: "ab\u{1f5ff}\u{12000}" }],
    [TEXT, 422, "source_not_allowed", { ...text, file: "http://127.0.0.1/a.pdf" }],
    [TEXT, 422, "source_not_allowed", { ...text, file: "https://files.example.com/inside.pdf" }],
    [TEXT, 502, "source_unreachable", { ...text, file: "https://nowhere.example.org/a.pdf" }],
    [TEXT, 502, "source_unreachable", { ...text, file: "https://files.example.com/missing.pdf" }],
    [TEXT, 502, "source_unreachable", { ...text, file: "https://files.example.com/secret" }],
    [TEXT, 502, "source_unreachable", { ...text, file: "https://files.example.com/loop.pdf" }],
    [IMAGE, 413, "image_too_large", { ...image, image: "https://files.example.com/large.pdf" }],
    [TEXT, 422, "not_a_pdf", { ...text, file: "https://files.example.com/page.html" }],
    [TEXT, 422, "not_a_pdf", { ...text, file: "https://files.example.com/text.pdf" }],
    [TEXT, 422, "not_a_pdf", { ...text, file: dataUri("application/pdf", new Uint8Array(0)) }],
    [
      TEXT,
      422,
      "damaged_pdf",
      { ...text, file: dataUri("application/pdf", new TextEncoder().encode("%PDF-1.7\nnothing else")) },
    ],
    [TEXT, 422, "damaged_pdf", { ...text, file: dataUri("application/pdf", pagesOf([])) }],
    [TEXT, 422, "password_required", { ...text, file: dataUri("application/pdf", encrypted) }],
    [IMAGE, 422, "unsupported_image", { ...image, image: btoa("GIF89a, as it were") }],
    [IMAGE, 422, "damaged_image", { ...image, image: RED_PNG.subarray(0, 40).toBase64() }],
  ])(
    "the service rejects invalid input with an explanation and leaves the payment usable: %s %i %s",
    async (path, status, code, body, field) => {
      const payment = await signPayment(await offerOf(path));
      const response = await callPaid(path, body, payment);
      const problem = await response.json<Problem>();
      expect({ status: response.status, code: problem.code }).toEqual({ status, code });
      expect(response.headers.get("Content-Type")).toBe("application/problem+json");
      expect(response.headers.get("X-PAYMENT-RESPONSE")).toBeNull();
      expect(problem.request_id).toBe(response.headers.get("X-Request-Id"));
      expect(problem.detail).not.toContain("the far side's own words");
      if (field !== undefined) expect(problem.errors?.map((error) => error.path)).toContain(field);

      const retried = await callPaid(path, path === TEXT ? text : image, payment);
      expect(retried.status).toBe(200);
    },
  );

  test("the error suggests the nearest field name for an unknown field", async () => {
    const problem = await (await callPaid(TEXT, { ...text, opactiy: 1 })).json<Problem>();
    expect(problem.errors).toEqual([{ path: "opactiy", message: "is not a field. Did you mean `opacity`?" }]);
  });

  test("the error truncates a field name of 400,000 characters and makes no suggestion", async () => {
    const name = "x".repeat(400_000);
    for (const body of [{ ...text, [name]: 1 }, `{"file":"${pdf}","text":"A","${name}":1,"${name}":2}`]) {
      const response = await (typeof body === "string" ? callRaw(body, "application/json") : callPaid(TEXT, body));
      const answer = await response.text();
      expect(answer.length).toBeLessThan(1000);
      const [error] = (JSON.parse(answer) as Problem).errors!;
      expect(error!.path).toBe(`${"x".repeat(64)}…`);
      expect(error!.message).not.toMatch(/did you mean/i);
    }
  });

  describe.each<[string, (text: string) => Record<string, string>]>([
    ["text", (long) => ({ text: long })],
    ["text that starts with two letters", (long) => ({ text: `ab${long}` })],
    ["text that starts with one letter", (long) => ({ text: `a${long}` })],
    ["text that starts with escaped characters", (long) => ({ text: `"\n${long}` })],
    ["password", (long) => ({ password: long })],
    ["color followed by other characters", (long) => ({ color: `#ff0000\n${long}` })],
    ["unknown field", (long) => ({ pdf: `data:application/pdf;base64,${long}` })],
    ["path", (long) => ({ file: `/tmp/${long}` })],
  ])("a huge value: %s", (_, fieldsOf) => {
    test.each<[string, (fields: object) => [string | FormData, string?]]>([
      ["JSON", (fields) => [JSON.stringify(fields), "application/json"]],
      ["ASCII", (fields) => [ascii(JSON.stringify(fields)), "application/json"]],
      ["form", (fields) => [formOf(fields as Record<string, string>)]],
    ])("the service reports the same errors for 2,000 as for 120,000 characters in %s", async (_, bodyOf) => {
      for (const letter of ["漢", "😀"]) {
        const errors: unknown[] = [];
        for (const length of [2000, 120_000]) {
          const fields = { file: pdf, text: "A", opacity: "2x", ...fieldsOf(letter.repeat(length)) };
          const [body, type] = bodyOf(fields);
          const response = await callRaw(body, type);
          errors.push((await response.json<Problem>()).errors);
        }
        expect(errors[0]).toContainEqual({ path: "opacity", message: expect.any(String) });
        expect(errors[1]).toEqual(errors[0]);
      }
    });
  });

  test("the service reports only the length error of a text that is far too long", async () => {
    const problem = await (await callPaid(TEXT, { ...text, text: "{x}".repeat(1000) })).json<Problem>();
    expect(problem.errors).toEqual([{ path: "text", message: "must have at most 500 characters" }]);
  });

  test("the service rejects malformed JSON with 400", async () => {
    const response = await callRaw("{", "application/json");
    expect(response.status).toBe(400);
    expect((await response.json<Problem>()).code).toBe("invalid_request");
  });

  test.each([
    [`{"file":"${pdf}","text":"A","text":"B"}`, "text"],
    [`{"file":"${pdf}","text":"A","\\u0066ile":"http://127.0.0.1/"}`, "file"],
  ])("the service rejects JSON with a repeated field and names the field (case %#)", async (body, field) => {
    const response = await callRaw(body, "application/json");
    expect(response.status).toBe(400);
    const { code, detail, errors } = await response.json<Problem>();
    expect({ code, detail }).toEqual({
      code: "invalid_request",
      detail: expect.stringContaining(`contains \`${field}\` more than once`),
    });
    expect(errors?.map(({ path }) => path)).toEqual([field]);
  });

  test("the service rejects JSON with too many values, and keeps the error response short", async () => {
    const body = `{${Array.from({ length: 50_000 }, (_, at) => `"k${at}":1`).join()}}`;
    const response = await callRaw(body, "application/json");
    expect(response.status).toBe(400);
    expect((await response.text()).length).toBeLessThan(1000);
  });

  test.each(["utf-16", "iso-8859-1", '"utf-16le"'])(
    "the service rejects JSON with the charset %s (415)",
    async (charset) => {
      const response = await callRaw(JSON.stringify(text), `application/json; charset=${charset}`);
      expect(response.status).toBe(415);
      expect((await response.json<Problem>()).detail).toContain("UTF-8");
    },
  );

  test.each(["utf-8", '"UTF-8"', "utf8"])("the service accepts JSON with the charset %s", async (charset) => {
    expect((await callRaw(JSON.stringify(text), `application/json; charset=${charset}`)).status).toBe(200);
  });

  test("the service rejects JSON that is not valid UTF-8", async () => {
    const latin1 = encode(`{"file":"${pdf}","text":"Z\xfcrich"}`);
    const problem = await (await callRaw(latin1, "application/json")).json<Problem>();
    expect(problem).toMatchObject({ code: "invalid_request", detail: expect.stringContaining("UTF-8") });
  });

  test("the service rejects a malformed multipart body with 400", async () => {
    const response = await callRaw("no parts", "multipart/form-data; boundary=x");
    expect(response.status).toBe(400);
  });

  test.each(["text/plain", "application/xml", "image/png"])(
    "the service rejects the content type %s with 415",
    async (type) => {
      const response = await callRaw("A", type);
      expect(response.status).toBe(415);
      expect((await response.json<Problem>()).code).toBe("unsupported_media_type");
    },
  );

  test("the service rejects a body over the size limit with 413", async () => {
    const response = await callRaw("x".repeat(32_000_001), "application/json");
    expect(response.status).toBe(413);
    expect((await response.json<Problem>()).code).toBe("body_too_large");
  });
});

async function callRaw(body: BodyInit, type?: string): Promise<Response> {
  const payment = await signPayment(await offerOf(TEXT));
  const headers = { "X-PAYMENT": payment, ...(type && { "Content-Type": type }) };
  return send(TEXT, { method: "POST", headers, body });
}

/** Escapes non-ASCII characters as Python's `json` module does. */
function ascii(json: string): string {
  return json.replace(/[^\0-\x7f]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function pdfWithTrailer(entries: string): Uint8Array {
  const text = new TextDecoder("latin1")
    .decode(onePage)
    .replace("/Root 1 0 R", `/Root 1 0 R ${entries} /ID [(0123456789abcdef) (0123456789abcdef)]`);
  return encode(text);
}
