import { describe, expect, test } from "vitest";
import { encode } from "../support/bytes.ts";
import { dataUri, formOf, IMAGE, send, TEXT } from "../support/client.ts";
import { connect } from "../support/mcp.ts";
import { onePage } from "../support/pdf.ts";

/**
 * Tests mistakes of a new caller without a wallet. Each row has a request and the expected answer, which names the
 * mistake and the remedy.
 */

const file = "https://files.example.com/contract.pdf";
const logo = "https://files.example.com/logo.png";
const text = { file, text: "DRAFT" };
const image = { file, image: logo };
const png = encode("\x89PNG").toBase64();

interface Unpaid {
  problems?: { path: string; message: string }[];
}

/** Returns the problems that an unpaid 402 lists, each with its field. */
const shown = ({ problems = [] }: Unpaid) => problems.map(({ path, message }) => `${path}: ${message}`).join("\n");

async function answerTo(path: string, type: string | undefined, body: string, headers: Record<string, string> = {}) {
  const bytes = new TextEncoder().encode(body);
  const own = { "Content-Length": String(bytes.length), ...(type !== undefined && { "Content-Type": type }) };
  return send(path, { method: "POST", headers: { ...own, ...headers }, body: bytes });
}

describe("a mistake in a field", () => {
  test.each<[mistake: string, path: string, fields: unknown, problem: RegExp]>([
    ["no fields", TEXT, {}, /^file: is required: a URL.*\ntext: is required: the words/],
    ["no file", TEXT, { text: "A" }, /^file: is required: a URL, a data URI, base64 or an upload/],
    ["no image", IMAGE, { file }, /^image: is required: a URL/],
    ["the file named pdf", TEXT, { pdf: file, text: "A" }, /^pdf: is not a field. Did you mean `file`\?$/],
    ["a name in camel case", TEXT, { ...text, fontSize: 20 }, /^fontSize: .*Did you mean `font_size`\?$/],
    ["a text and an image", TEXT, { ...text, image: logo }, /^image: .*of POST \/v1\/watermark\/image/],
    ["an image and a text", IMAGE, { ...image, text: "A" }, /^text: .*of POST \/v1\/watermark\/text/],
    ["a font", TEXT, { ...text, font: "Arial" }, /^font: must be one of sans, serif$/],
    ["bold letters", TEXT, { ...text, bold: true }, /^bold: .*`template` selects the weight$/],
    ["a range of pages", TEXT, { ...text, pages: "1-3" }, /^pages: .*every page is marked/],
    ["a callback", TEXT, { ...text, callback_url: logo }, /^callback_url: .*the response has the result/],
    ["a webhook", TEXT, { ...text, webhook: logo }, /^webhook: .*nothing is sent to another address/],
    ["a request inside a field", TEXT, { params: text }, /^params: .*Send the fields in it directly/],
    ["a list of requests", TEXT, [text], /^: must be an object of fields$/],
    ["a percentage", TEXT, { ...text, opacity: 30 }, /^opacity: .*: 30 % is 0.3$/],
    ["a number in quotes", TEXT, { ...text, opacity: "0.5" }, /^opacity: .*: write 0.5 without quotes$/],
    ["degrees with a unit", TEXT, { ...text, rotation: "45deg" }, /^rotation: .*: write 45, without the unit$/],
    ["a full turn too many", TEXT, { ...text, rotation: 400 }, /^rotation: must be at most 360$/],
    ["millimeters", TEXT, { ...text, margin: "10mm" }, /^margin: .*in points, so 10mm is 28.3$/],
    ["inches", TEXT, { ...text, offset_x: "1in" }, /^offset_x: .*in points, so 1in is 72$/],
    ["points with a unit", TEXT, { ...text, font_size: "12pt" }, /^font_size: .*: write 12, without the unit$/],
    ["a gap as a length", TEXT, { ...text, tile_gap: "10mm" }, /^tile_gap: .*as a share of the mark's size$/],
    ["a scale in percent", IMAGE, { ...image, scale: "50%" }, /^scale: .*: 50 % is 0.5$/],
    ["an unknown place", TEXT, { ...text, position: "somewhere" }, /^position: must be one of top-left, top,/],
    [
      "other words for a place",
      TEXT,
      { ...text, position: "lower right" },
      /^position: .*Did you mean bottom-right\?$/,
    ],
    ["coordinates", TEXT, { ...text, position: { x: 1, y: 2 } }, /^position: must be one of/],
    ["a template as a place", TEXT, { ...text, position: "footer" }, /^position: is a template: send `template`/],
    ["a place as a template", TEXT, { ...text, template: "left" }, /^template: is a position: send `position`/],
    ["an unknown template", TEXT, { ...text, template: "secret" }, /^template: must be one of diagonal, horizontal,/],
    ["a place that needs another template", TEXT, { ...text, position: "auto" }, /^position: .*needs another template/],
    ["an unknown layer", TEXT, { ...text, layer: "behind" }, /^layer: must be one of over, under$/],
    ["an unknown page box", TEXT, { ...text, box: "MediaBox" }, /^box: must be one of/],
    ["a language by name", TEXT, { ...text, lang: "english" }, /^lang: must be a language tag \(BCP 47\), such as ja/],
    ["a country as a language", TEXT, { ...text, lang: "kr" }, /^lang: is a country. The language is ko$/],
    ["a color by name", TEXT, { ...text, color: "red" }, /^color: must be #rrggbb, such as #cc0000$/],
    ["a short color", TEXT, { ...text, color: "#f00" }, /^color: .*: write #ff0000$/],
    ["a color without its sign", TEXT, { ...text, color: "CC0000" }, /^color: .*: write #CC0000$/],
    [
      "a color with opacity",
      TEXT,
      { ...text, color: "#cc000080" },
      /^color: .*send the opacity in the field `opacity`$/,
    ],
    ["a color as numbers", TEXT, { ...text, color: [255, 0, 0] }, /^color: must be #rrggbb/],
    ["an empty text", TEXT, { file, text: " " }, /^text: must have a visible character$/],
    ["a long text", TEXT, { file, text: "A".repeat(501) }, /^text: must have at most 500 characters$/],
    ["a number as text", TEXT, { file, text: 2026 }, /^text: must be a string: write "2026"$/],
    ["a tab in the text", TEXT, { file, text: "A\tB" }, /^text: must not have control characters/],
    [
      "an unknown placeholder",
      TEXT,
      { file, text: "For {name}" },
      /^text: has \{name\}.* The placeholders are \{page\}/,
    ],
    ["a character without a font", TEXT, { file, text: "A\ue000" }, /^text: No font covers U\+E000.* Replace it/],
    ["a password as a number", TEXT, { ...text, password: 1234 }, /^password: must be a string: write "1234"$/],
    [
      "a path as file name",
      TEXT,
      { ...text, filename: "out/a.pdf" },
      /^filename: must not contain .* path separators$/,
    ],
  ])("the 402 of an unpaid call names the mistake in a field: %s", async (_, path, fields, problem) => {
    const answer = await answerTo(path, "application/json", JSON.stringify(fields));
    expect([answer.status, shown(await answer.json())]).toEqual([402, expect.stringMatching(problem)]);
  });
});

describe("a mistake in a file", () => {
  const pdfUri = (bytes: string) => dataUri("application/pdf", encode(bytes));
  test.each<[mistake: string, file: unknown, problem: RegExp]>([
    ["a path", "./contract.pdf", /^file: must be an http\(s\) URL.*POST \/v1\/uploads/],
    ["the name for curl", "@contract.pdf", /^file: must be an http\(s\) URL.*POST \/v1\/uploads/],
    ["an attachment of a chat", "sandbox:/mnt/data/a.pdf", /^file: .*attachment on your side cannot be read from here/],
    ["a URL of another scheme", "ftp://files.example.com/a.pdf", /^file: must be an http\(s\) URL/],
    ["a URL without its scheme", "www.example.com/a.pdf", /^file: .*Write https:\/\/www.example.com\/a.pdf$/],
    ["white space before the URL", ` ${file}`, /^file: begins with white space. Remove it$/],
    ["a URL on the own network", "http://192.168.1.5/a.pdf", /^file: The URL may not be fetched: .*IP address/],
    ["a URL with a port", "https://example.com:8443/a.pdf", /^file: .*only the standard ports 80 and 443/],
    ["a URL with a password", "https://a:b@example.com/a.pdf", /^file: .*it carries credentials/],
    ["a URL without a host", "https://", /^file: .*it is not a valid URL/],
    [
      "a share link",
      "https://drive.google.com/file/d/abc/view",
      /^file: This is a web page.*uc\?export=download&id=abc$/,
    ],
    ["an object", { url: file }, /^file: must be a URL/],
    ["a list", [file], /^file: must be a URL/],
    ["nothing", null, /^file: must be a URL/],
    ["a handle that does not exist", "upload:1", /^file: This upload does not exist. .*request another upload.$/],
    [
      "an expired handle",
      `upload:400000-${"0".repeat(32)}`,
      /^file: The upload has expired.* Request another upload.$/,
    ],
    ["an upload URL", `https://a.example.com/v1/uploads/498712-${"9".repeat(32)}`, /^file: .*Use the handle upload:…/],
    ["base64 of another format", encode("PK\x03\x04").toBase64(), /^file: .*base64 of a PDF, which begins with JVBERi/],
    ["base64 that is cut", "JVBERi0xLjQK...", /^file: is not valid base64: .*send the complete result$/],
    ["a data URI without base64", "data:application/pdf,%25PDF-1.4", /^file: must be a base64 data URI/],
    ["an image", `data:image/png;base64,${png}`, /^file: This is an image, not a PDF. Convert it first.$/],
    ["a text", pdfUri("Hello"), /^file: The file is not a PDF. Check that you sent the right file.$/],
  ])("the 402 of an unpaid call names the mistake in `file`: %s", async (_, sent, problem) => {
    const answer = await answerTo(TEXT, "application/json", JSON.stringify({ file: sent, text: "A" }));
    expect([answer.status, shown(await answer.json())]).toEqual([402, expect.stringMatching(problem)]);
  });

  test.each<[mistake: string, image: string, problem: RegExp]>([
    ["an SVG", dataUri("image/svg+xml", encode("<svg/>")), /^image: This is an SVG drawing. Send a PNG or a JPEG.$/],
    ["a GIF", dataUri("image/gif", encode("GIF89a")), /^image: This is a GIF. Send a PNG or a JPEG.$/],
    ["a PDF", dataUri("application/pdf", onePage.subarray(0, 1000)), /^image: This is a PDF. Send a PNG or a JPEG.$/],
    ["damaged base64", "data:image/png;base64,@@", /^image: is not valid base64/],
  ])("the 402 of an unpaid call names the mistake in `image`: %s", async (_, sent, problem) => {
    const answer = await answerTo(IMAGE, "application/json", JSON.stringify({ file, image: sent }));
    expect([answer.status, shown(await answer.json())]).toEqual([402, expect.stringMatching(problem)]);
  });

  test("the 402 of an unpaid call says that no file has been sent to the upload yet", async () => {
    const request = { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"size": 100}' };
    const { handle } = await (await send("/v1/uploads", request)).json<{ handle: string }>();
    const answer = await answerTo(TEXT, "application/json", JSON.stringify({ file: handle, text: "A" }));
    expect(shown(await answer.json())).toMatch(/^file: No file has been uploaded yet. Send the file to the upload URL/);
  });

  test.each([
    "https://drive.google.com/uc?export=download&id=abc",
    "https://www.dropbox.com/s/abc/a.pdf?raw=1",
    "https://files.example.com/a",
    "JVBERi0xLjQK",
    dataUri("application/pdf", encode("1 0 obj")),
  ])("the 402 of an unpaid call names no mistake in the file %s", async (sent) => {
    const answer = await answerTo(TEXT, "application/json", JSON.stringify({ file: sent, text: "A" }));
    expect(shown(await answer.json())).toBe("");
  });
});

describe("a mistake in the HTTP request", () => {
  const JSON_TYPE = "application/json";
  const FORM = "application/x-www-form-urlencoded";
  const valid = JSON.stringify(text);
  test.each<[mistake: string, path: string, type: string | undefined, body: string, problem: RegExp]>([
    ["no body", TEXT, undefined, "", /^: The body is empty. Send an object such as \{"file"/],
    ["no body but its type", TEXT, JSON_TYPE, "", /^: The body is empty. Send an object such as/],
    ["single quotes in JSON", TEXT, JSON_TYPE, "{'file': 'a'}", /^: The body is not well-formed JSON. Send an object/],
    ["a comma at the end", TEXT, JSON_TYPE, `${valid.slice(0, -1)},}`, /^: The body is not well-formed JSON/],
    [
      "a repeated field",
      TEXT,
      JSON_TYPE,
      `{"file":"${file}","text":"A","text":"B"}`,
      /^text: must be given only once$/,
    ],
    ["a field in the query", `${TEXT}?text=A`, JSON_TYPE, "{}", /^text: must be in the body/],
    ["JSON in UTF-16", TEXT, `${JSON_TYPE}; charset=utf-16`, valid, /^: JSON must be encoded in UTF-8/],
    ["JSON without a type", TEXT, undefined, valid, /^: The request has no Content-Type. Send application\/json/],
    ["JSON as plain text", TEXT, "text/plain", valid, /^: The Content-Type text\/plain is not read. Send application/],
    ["JSON as a form", TEXT, FORM, valid, /^: The body is JSON, .*Send it with `Content-Type: application\/json`.$/],
    ["a PDF as a form", `${TEXT}?text=A`, FORM, "%PDF-1.7", /^: The body is a PDF, .*`Content-Type: application\/pdf`/],
    ["XML", TEXT, "application/xml", "<a/>", /^: The Content-Type application\/xml is not read/],
    ["an image as the body", IMAGE, "image/png", "PNG", /^: The Content-Type image\/png is not read/],
    ["a file name in a form", TEXT, FORM, "file=@a.pdf&text=A", /^file: must be an upload \(in curl: -F file=@/],
    ["a PDF without its text", TEXT, "application/pdf", "%PDF-1.7", /^text: is required/],
    ["a file besides the PDF", `${TEXT}?text=A&file=a`, "application/pdf", "%PDF-1.7", /^file: is the body, so it/],
    [
      "multipart without a boundary",
      TEXT,
      "multipart/form-data",
      "A",
      /^: The multipart\/form-data body has no boundary/,
    ],
    ["multipart and a query", `${TEXT}?text=A`, "multipart/form-data; boundary=b", "A", /^text: must be in the body/],
  ])("the 402 of an unpaid call names the mistake in the HTTP request: %s", async (_, path, type, body, problem) => {
    const answer = await answerTo(path, type, body);
    expect([answer.status, shown(await answer.json())]).toEqual([402, expect.stringMatching(problem)]);
  });

  test.each([
    [
      "a key that is too long",
      "Idempotency-Key",
      "k".repeat(256),
      /^Idempotency-Key: must be 1 to 255 printable ASCII/,
    ],
    ["an empty key", "Idempotency-Key", "", /^Idempotency-Key: must be 1 to 255/],
    ["a misnamed key", "X-Idempotency-Key", "k", /^X-Idempotency-Key: is not read. Did you mean Idempotency-Key\?$/],
  ])("the 402 of an unpaid call names the mistake in a header: %s", async (_, name, value, problem) => {
    const answer = await answerTo(TEXT, JSON_TYPE, valid, { [name]: value });
    expect(shown(await answer.json())).toMatch(problem);
  });

  test("the 402 of a form with files says how to validate the form before the payment", async () => {
    const answer = await send(TEXT, { method: "POST", body: formOf({ file: new File([onePage], "a.pdf"), txt: "A" }) });
    const { unchecked } = await answer.json<{ unchecked: string }>();
    expect([answer.status, unchecked]).toEqual([
      402,
      expect.stringMatching(/send them as JSON .* URL in place of each/),
    ]);
  });

  test.each<[mistake: string, path: string, init: RequestInit, status: number, detail: RegExp]>([
    ["GET", TEXT, {}, 405, /^Use POST here. See GET \/openapi.json/],
    ["PUT", TEXT, { method: "PUT", body: valid }, 405, /^Use POST here. /],
    ["the wrong address", "/", { method: "POST", body: valid }, 405, /^Use GET, HEAD here. See GET \/openapi.json/],
    [
      "an address without a version",
      "/watermark/text",
      { method: "POST" },
      404,
      /Did you mean \/v1\/watermark\/text\?/,
    ],
    ["a slash at the end", `${IMAGE}/`, { method: "POST" }, 404, /Did you mean \/v1\/watermark\/image\?/],
    ["a misspelled address", "/v1/upload", { method: "POST" }, 404, /Did you mean \/v1\/uploads\?/],
    [
      "a compressed body",
      TEXT,
      { method: "POST", headers: { "Content-Encoding": "gzip" }, body: "x" },
      415,
      /Send the body without Content-Encoding/,
    ],
  ])(
    "the response to a wrong method, path or encoding names the mistake: %s",
    async (_, path, init, status, detail) => {
      const answer = await send(path, init);
      const problem = await answer.json<{ detail: string }>();
      expect([answer.status, problem.detail]).toEqual([status, expect.stringMatching(detail)]);
    },
  );
});

describe("a mistake of an agent", () => {
  test.each<[mistake: string, tool: string, fields: Record<string, unknown>, problem: RegExp]>([
    ["no arguments", "add_text_watermark", {}, /^file: is required.*\ntext: is required/],
    ["arguments inside an argument", "add_text_watermark", { input: text }, /^input: .*Send the fields in it directly/],
    ["a path", "add_text_watermark", { ...text, file: "/mnt/data/a.pdf" }, /^file: .*free tool request_upload/],
    [
      "a payment as an argument",
      "add_text_watermark",
      { ...text, payment: "A" },
      /^payment: is not a field: over MCP, send the payment in `_meta\["x402\/payment"\]`/,
    ],
    [
      "the member _meta among the arguments",
      "add_text_watermark",
      { ...text, _meta: { "x402/payment": {} } },
      /^_meta: is not a field: `_meta` is a member of `params`/,
    ],
    [
      "not a PDF",
      "add_text_watermark",
      { ...text, file: dataUri("", encode("Hello")) },
      /^file: The file is not a PDF/,
    ],
    ["an SVG", "add_image_watermark", { file, image: dataUri("", encode("<svg/>")) }, /^image: This is an SVG drawing/],
    ["an unknown upload", "add_text_watermark", { ...text, file: "upload:1" }, /^file: This upload does not exist/],
    ["a character without a font", "add_text_watermark", { file, text: "\ue000" }, /^text: No font covers U\+E000/],
  ])("an unpaid tool call names the mistake in the arguments: %s", async (_, name, fields, problem) => {
    const answer = await (await connect()).callTool({ name, arguments: fields });
    expect(shown(answer.structuredContent as Unpaid)).toMatch(problem);
    expect((answer.content as { text: string }[])[1]!.text).toContain(" Fix these fields before you pay: `");
  });

  test("an unpaid tool call reports an idempotency key that is too long", async () => {
    const _meta = { "x402/idempotency-key": "k".repeat(256) };
    const answer = await (await connect()).callTool({ name: "add_text_watermark", arguments: text, _meta });
    expect(shown(answer.structuredContent as Unpaid)).toMatch(/^Idempotency-Key: must be 1 to 255/);
  });

  test("the error for an unknown tool lists the existing tools", async () => {
    const { tools } = await (await connect()).listTools();
    const names = tools.map(({ name }) => name).join(", ");
    await expect((await connect()).callTool({ name: "watermark", arguments: text })).rejects.toThrow(
      `Tool watermark not found. The tools are ${names}`,
    );
  });
});
