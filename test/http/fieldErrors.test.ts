import { describe, expect, test } from "vitest";
import { signPayment } from "../../scripts/lib/pay.ts";
import { IMAGE_POSITIONS, POSITIONS, TEMPLATES } from "../../src/engine/index.ts";
import { PRODUCTS } from "../../src/service/sale/products.ts";
import { callPaid, dataUri, formOf, IMAGE, offerOf, send, TEXT } from "../support/client.ts";
import { PATHS } from "../support/paths.ts";
import { onePage } from "../support/pdf.ts";
import { RED_PNG } from "../support/png.ts";

const file = dataUri("application/pdf", onePage);
const text = { file, text: "DRAFT" };
const image = { file, image: RED_PNG.toBase64() };

interface Refusal {
  code: string;
  detail: string;
  errors: { path: string; message: string }[];
}

async function refusalOf(path: string, body: object): Promise<Refusal> {
  const response = await callPaid(path, body);
  expect(response.status).toBe(400);
  const refusal = await response.json<Refusal>();
  expect(refusal.code).toBe("invalid_request");
  expect(refusal.detail).not.toMatch(/[.?!][.?!]/); // The detail contains no doubled punctuation marks, such as “?.”
  return refusal;
}

const messageFor = async (path: string, body: object, field: string) =>
  (await refusalOf(path, body)).errors.find((error) => error.path === field)?.message;

describe("a missing field", () => {
  test.each([
    [
      TEXT,
      { text: "A" },
      "file",
      "`file` is required: a URL, a data URI, base64 or an upload (tool request_upload, or POST /v1/uploads).",
    ],
    [TEXT, { file }, "text", "`text` is required: the words to put on the page."],
    [
      IMAGE,
      { image: image.image },
      "file",
      "`file` is required: a URL, a data URI, base64 or an upload (tool request_upload, or POST /v1/uploads).",
    ],
    [
      IMAGE,
      { file },
      "image",
      "`image` is required: a URL, a data URI, base64 or an upload (tool request_upload, or POST /v1/uploads).",
    ],
  ])(
    "the error for a missing field names the field and says what to send: %s %j",
    async (path, body, field, detail) => {
      for (const sent of [body, formOf(body as Record<string, string>)]) {
        const refusal = await refusalOf(path, sent);
        expect(refusal.detail).toContain(detail);
        expect(refusal.errors.map((error) => error.path)).toEqual([field]);
      }
    },
  );

  test("the error lists all missing fields", async () => {
    const { errors } = await refusalOf(TEXT, {});
    expect(errors.map((error) => error.path)).toEqual(["file", "text"]);
  });
});

test.each(["", "japanese", "zh_TW", "日本語", "ja-", "ja-JP-JP", "i-klingon", "x".repeat(400)])(
  "the error explains language tags if `lang` has the invalid value %j",
  async (lang) => {
    expect(await messageFor(TEXT, { ...text, lang }, "lang")).toBe(
      "must be a language tag (BCP 47), such as ja, zh-Hant, zh-HK or ur",
    );
  },
);

describe("an invalid value", () => {
  test.each([
    [TEXT, { ...text, opacity: 7 }, "opacity", "must be a number from 0 to 1: 7 % is 0.07"],
    [TEXT, { ...text, opacity: "50 %" }, "opacity", "must be a number from 0 to 1: 50 % is 0.5"],
    [TEXT, { ...text, opacity: -1 }, "opacity", "must be a number from 0 to 1"],
    [TEXT, { ...text, opacity: "dark" }, "opacity", "must be a number from 0 to 1"],
    [TEXT, { ...text, rotation: "45" }, "rotation", "must be a number: write 45 without quotes"],
    [TEXT, { ...text, rotation: "45deg" }, "rotation", "must be a number: write 45, without the unit"],
    [TEXT, { ...text, rotation: "steep" }, "rotation", "must be a number"],
    [TEXT, { ...text, margin: "-1.5 cm" }, "margin", "must be a number: lengths are in points, so -1.5 cm is -42.5"],
    [TEXT, { ...text, opacity: "50" }, "opacity", "must be a number from 0 to 1: 50 % is 0.5"],
    [TEXT, { ...text, opacity: ".5" }, "opacity", "must be a number from 0 to 1: write 0.5 without quotes"],
    [IMAGE, { ...image, scale: "0" }, "scale", "must be a number more than 0 and at most 1"],
    [TEXT, { ...text, template: "center" }, "template", "is a position: send `position` with the value center"],
    [TEXT, { ...text, opacity: { toString: 1 } }, "opacity", "must be a number from 0 to 1"],
    [TEXT, { ...text, opacity: `1${" ".repeat(200_000)}x` }, "opacity", "must be a number from 0 to 1"],
    [TEXT, { ...text, color: { toString: 1 } }, "color", "must be #rrggbb, such as #cc0000"],
    [TEXT, { ...text, color: "#12345" }, "color", "must be #rrggbb, such as #cc0000"],
    [TEXT, { ...text, font_size: 0 }, "font_size", "must be more than 0"],
    [
      TEXT,
      { ...text, file: 5 },
      "file",
      "must be a URL, a data URI, base64 or an upload (tool request_upload, or POST /v1/uploads)",
    ],
    [
      TEXT,
      { ...text, file: null },
      "file",
      "must be a URL, a data URI, base64 or an upload (tool request_upload, or POST /v1/uploads)",
    ],
    [TEXT, { ...text, text: ["A"] }, "text", "must be a string"],
    [TEXT, { ...text, text: 2026 }, "text", 'must be a string: write "2026"'],
    [TEXT, { ...text, filename: 7 }, "filename", 'must be a string: write "7"'],
    [TEXT, { ...text, lang: "jp" }, "lang", "is a country. The language is ja"],
    [TEXT, { ...text, lang: "CN" }, "lang", "is a country. The language is zh"],
    [TEXT, { ...text, filename: "" }, "filename", "must have at least 1 character"],
    [TEXT, { ...text, filename: "a".repeat(201) }, "filename", "must have at most 200 characters"],
    [IMAGE, { ...image, scale: 0 }, "scale", "must be a number more than 0 and at most 1"],
    [IMAGE, { ...image, scale: 30 }, "scale", "must be a number more than 0 and at most 1: 30 % is 0.3"],
    [
      IMAGE,
      { ...image, image: {} },
      "image",
      "must be a URL, a data URI, base64 or an upload (tool request_upload, or POST /v1/uploads)",
    ],
  ])(
    "the error for a field with an invalid value says what the field accepts: %s (case %#)",
    async (path, body, field, message) => {
      expect(await messageFor(path, body, field)).toBe(message);
    },
  );

  test.each([
    [TEXT, { file: "contract.pdf", text: "A" }, "file", "file=@contract.pdf"],
    [IMAGE, { file, image: "logo.png" }, "image", "image=@logo.png"],
  ])(
    "the error of %s explains how to upload a file if a form field contains a file name (case %#)",
    async (path, fields, field, curl) => {
      expect(await messageFor(path, formOf(fields as Record<string, string>), field)).toMatch(
        new RegExp(`^must be an upload \\(in curl: -F ${curl}\\), an http\\(s\\) URL`),
      );
      expect(await messageFor(path, fields, field)).not.toContain("in curl");
    },
  );

  test.each(PATHS)(
    "the error explains how to upload a file if the request contains the local path %s",
    async (name) => {
      for (const [path, body, field] of [
        [TEXT, { ...text, file: name }, "file"],
        [IMAGE, { ...image, image: name }, "image"],
      ] as const)
        expect(await messageFor(path, body, field)).toMatch(
          /^must be an http\(s\) URL, .*; a path .* cannot be read from here: upload the file with the free tool request_upload \(over HTTP: POST \/v1\/uploads\)/,
        );
    },
  );

  test("the service rejects an upload URL in place of the upload handle", async () => {
    const address = "https://pdf.example.com/v1/uploads/498712-9a9326ab1053dfb86c40b51d2c06d24e";
    const message = "is the URL to send the file to. Use the handle upload:… that came with it";
    expect((await refusalOf(TEXT, { ...text, file: address })).errors).toEqual([{ path: "file", message }]);
    expect((await refusalOf(IMAGE, { ...image, image: `${address}?a` })).errors).toEqual([{ path: "image", message }]);
    expect((await refusalOf(TEXT, formOf({ text: "A", file: address }))).errors).toEqual([{ path: "file", message }]);
  });

  test("the error for a repeated form field names only this field", async () => {
    const form = formOf({ file, text: "A" });
    form.append("text", "B");
    const { detail, errors } = await refusalOf(TEXT, form);
    expect(detail).toBe("The multipart/form-data body has `text` more than once. Send each field once.");
    expect(errors).toEqual([{ path: "text", message: "must be given only once" }]);
  });

  test.each([
    ["", "is empty"],
    ["{'file': 'x'}", "is not well-formed JSON"],
  ])("the error shows an example request if the JSON body is %j", async (body, what) => {
    const headers = { "X-PAYMENT": await signPayment(await offerOf(TEXT)), "Content-Type": "application/json" };
    const refusal = await (await send(TEXT, { method: "POST", headers, body })).json<Refusal>();
    expect(refusal.detail).toContain(`The body ${what}. Send an object such as`);
    expect(JSON.parse(/\{.*\}/.exec(refusal.detail)![0])).toEqual(PRODUCTS[0]!.example);
  });

  test("the service rejects a JSON body that is not an object", async () => {
    expect((await refusalOf(TEXT, [text])).detail).toContain("The request must be an object of fields.");
  });
});

describe("a field with a list of allowed values", () => {
  test.each([
    [TEXT, { ...text, position: "top-centre" }, "position", "top"],
    [TEXT, { ...text, position: "lower right" }, "position", "bottom-right"],
    [TEXT, { ...text, position: "upper_left" }, "position", "top-left"],
    [TEXT, { ...text, position: "Bottom Right Corner" }, "position", "bottom-right"],
    [TEXT, { ...text, position: "middle centre" }, "position", "center"],
    [TEXT, { ...text, position: "botom" }, "position", "bottom"],
    [TEXT, { ...text, position: "Top Left" }, "position", "top-left"],
    [TEXT, { ...text, position: "bottom_right" }, "position", "bottom-right"],
    [TEXT, { ...text, template: "outlined" }, "template", "outline"],
    [TEXT, { ...text, template: "sidebars" }, "template", "sidebar"],
    [IMAGE, { ...image, position: "centr" }, "position", "center"],
  ])(
    "the error of %s suggests the nearest allowed value for a misspelled value (case %#)",
    async (path, body, field, meant) => {
      expect(await messageFor(path, body, field)).toBe(`is not known. Did you mean ${meant}?`);
    },
  );

  test.each([
    [TEXT, { ...text, position: "somewhere" }, "position", POSITIONS],
    [TEXT, { ...text, position: "x".repeat(100_000) }, "position", POSITIONS],
    [TEXT, { ...text, template: "fancy" }, "template", Object.keys(TEMPLATES)],
    [IMAGE, { ...image, position: "somewhere" }, "position", IMAGE_POSITIONS],
  ])(
    "the error of %s lists all allowed values if no allowed value resembles the invalid one (case %#)",
    async (path, body, field, all) => {
      expect(await messageFor(path, body, field)).toBe(`must be one of ${all.join(", ")}`);
    },
  );
});

test.each(["diagonal", "outline", "sidebar"])(
  "the service rejects the position auto with the template %s",
  async (template) => {
    expect(await messageFor(TEXT, { ...text, position: "auto", template }, "position")).toBe(
      "is auto, which needs another template: one of horizontal, tiled, header, footer, stamp",
    );
  },
);

describe("an unknown field", () => {
  test.each([
    ["opactiy", "opacity"],
    ["colour", "color"],
    ["fontSize", "font_size"],
    ["pdf_file", "file"],
    ["pdf", "file"],
    ["angle", "rotation"],
    ["alpha", "opacity"],
    ["size", "font_size"],
    ["Language", "lang"],
  ])("the error suggests the nearest known field for the unknown field %s", async (name, meant) => {
    expect(await messageFor(TEXT, { ...text, [name]: "1" }, name)).toBe(`is not a field. Did you mean \`${meant}\`?`);
  });

  test("the service reports an unknown field that resembles a missing field, but not the missing field itself", async () => {
    const { errors } = await refusalOf(TEXT, { file, watermark: "A" });
    expect(errors).toEqual([{ path: "watermark", message: "is not a field. Did you mean `text`?" }]);
    const others = await refusalOf(IMAGE, { file, watermark: image.image });
    expect(others.errors).toEqual([{ path: "watermark", message: "is not a field. Did you mean `image`?" }]);
  });

  test("the error message starts with the name of the unknown field", async () => {
    const { detail } = await refusalOf(TEXT, { ...text, image: "x" });
    expect(detail).toMatch(/^`image` is not a field of this operation, but of POST/);
  });

  test("the error lists all known fields if none of them resembles the unknown field", async () => {
    const message = await messageFor(IMAGE, { ...image, blend: 1 }, "blend");
    for (const field of Object.keys(PRODUCTS[1]!.schemas.json.shape)) expect(message).toContain(`\`${field}\``);
  });

  test.each([
    [IMAGE, { ...image, text: "A" }, "text", TEXT],
    [IMAGE, { ...image, template: "stamp" }, "template", TEXT],
    [TEXT, { ...text, image: image.image }, "image", IMAGE],
    [TEXT, { ...text, scale: 0.2 }, "scale", IMAGE],
  ])(
    "the error of %s for a field of the other operation names that operation (case %#)",
    async (path, body, field, other) => {
      const { tool } = PRODUCTS.find((product) => product.path === other)!;
      expect(await messageFor(path, body, field)).toBe(
        `is not a field of this operation, but of POST ${other} (MCP tool ${tool})`,
      );
    },
  );

  test.each(["pages", "page", "page_range", "pageNumbers", "first_page", "PAGES"])(
    "the error says that pages cannot be selected if the request has the unknown field %s",
    async (name) => {
      expect(await messageFor(TEXT, { ...text, [name]: "1-3" }, name)).toBe(
        "is not a field: every page is marked, and pages cannot be selected",
      );
    },
  );

  test("the error for 70 unknown fields lists the first 20 with truncated names and the total number", async () => {
    const many = Object.fromEntries(Array.from({ length: 70 }, (_, at) => [`k${at}${"x".repeat(10_000)}`, at]));
    const response = await callPaid(TEXT, { ...text, ...many });
    const refusal = await response.json<Refusal>();
    expect(refusal.errors).toHaveLength(20);
    expect(refusal.detail).toContain("`errors` lists the first 20 of 70 wrong fields");
    expect(JSON.stringify(refusal).length).toBeLessThan(10_000);
  });
});
