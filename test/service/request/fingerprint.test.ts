import { expect, test } from "vitest";
import { readForm } from "../../../src/inputs/multipart.ts";
import { ReceivedFile } from "../../../src/inputs/receivedFile.ts";
import { Upload } from "../../../src/inputs/upload.ts";
import { digestOf } from "../../../src/service/request/fingerprint.ts";
import { PRODUCTS, type Product } from "../../../src/service/sale/products.ts";
import { sha256 } from "../../../src/shared/sha256.ts";
import { limitsOf } from "../../support/limits.ts";

test.each([
  ["a text", PRODUCTS[0]!, { file: "https://example.com/a.pdf", text: "A" }],
  ["an image", PRODUCTS[1]!, { file: "https://example.com/a.pdf", image: "https://example.com/a.png" }],
])("a request has the same fingerprint as JSON and as a form: %s", async (_, product, fields) => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  const { body, headers } = new Response(form);
  const limits = { file: limitsOf(), image: limitsOf() };
  const { fields: read } = await readForm(body!, headers.get("Content-Type")!, limits);
  const [one, other] = [product.accept(fields, "json"), product.accept(read, "form")];
  expect(await other.fingerprint()).toBe(await one.fingerprint());
});

test("a request's fingerprint includes a file's name only if the mark's text contains the name", async () => {
  const bytes = Buffer.from("%PDF-1.7 a file");
  const hash = await sha256(bytes);
  const fingerprintsOf = (text: string) =>
    Promise.all(
      ["a.pdf", "b.pdf"].map((name) => {
        const file = new Upload(new ReceivedFile(bytes), hash, name);
        return PRODUCTS[0]!.accept({ file, text }, "form").fingerprint();
      }),
    );
  expect(new Set(await fingerprintsOf("A")).size).toBe(1);
  expect(new Set(await fingerprintsOf("Copy of {filename}")).size).toBe(2);
});

test("a file's fingerprint depends on its bytes, not on how the file is sent", async () => {
  const [text, image] = PRODUCTS as [Product, Product];
  const bytes = Buffer.from("%PDF-1.7 a file?>>");
  const base64 = bytes.toString("base64");
  const upload = new Upload(new ReceivedFile(bytes), await sha256(bytes));
  const ofFile = (file: unknown) => text.accept({ file, text: "A" }, "form").fingerprint();
  const ofImage = (sent: unknown) =>
    image.accept({ file: "https://example.com/a.pdf", image: sent }, "form").fingerprint();

  const [first, ...others] = await Promise.all(
    [upload, `data:application/pdf;base64,${base64}`, `data:;base64,${bytes.toString("base64url")}`].map(ofFile),
  );
  expect(new Set(others)).toEqual(new Set([first]));
  expect(await ofImage(base64)).toBe(await ofImage(upload));
  expect(await ofFile(`data:;base64,${base64.slice(0, -4)}`)).not.toBe(first);
  expect(await ofFile("data:;base64,???")).not.toBe(await ofFile("data:;base64,!!!"));
});

test.each([
  ["A", [1, 1, 1]],
  ["{date}", [2, 1, 1]],
  ["{date:long}", [2, 1, 1]],
  ["{time}", [1, 2, 1]],
  ["{filename}", [1, 1, 2]],
])(
  "the digest of a request with the text %j includes only the placeholder values that the text contains",
  async (text, expected) => {
    const noon = new Date("2026-11-25T12:00:30Z");
    const digestAt = (date: Date, source: string) =>
      digestOf("watermark.text", { file: "https://example.com/a.pdf", text }, { file: "ab12" }, { date, source });
    const same = await digestAt(noon, "a.pdf");
    const others = [
      await digestAt(new Date("2026-11-26T12:00:30Z"), "a.pdf"),
      await digestAt(new Date("2026-11-25T12:01:00Z"), "a.pdf"),
      await digestAt(noon, "b.pdf"),
    ];
    expect(others.map((other) => new Set([same, other]).size)).toEqual(expected);
    expect(await digestAt(new Date("2026-11-25T12:00:59Z"), "a.pdf")).toBe(same);
  },
);

test("a request has no digest until the hash of every file is known", async () => {
  const fields = { file: "https://example.com/a.pdf", image: "https://example.com/a.png" };
  const digestWith = (hashes: object) => digestOf("watermark.image", fields, hashes, { date: new Date(0) });
  expect(await digestWith({ file: "ab12" })).toBeUndefined();
  expect(await digestWith({ file: "ab12", image: "cd34" })).toMatch(/^[0-9a-f]{64}$/);
});
