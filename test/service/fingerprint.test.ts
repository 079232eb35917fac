import { expect, test } from "vitest";
import { readForm } from "../../src/inputs/multipart.ts";
import { fingerprintOf } from "../../src/service/fingerprint.ts";
import { PRODUCTS } from "../../src/service/products.ts";
import { limitsOf } from "../support/limits.ts";

test.each([
  ["a text", PRODUCTS[0]!, { file: "https://example.com/a.pdf", text: "A" }],
  ["an image", PRODUCTS[1]!, { file: "https://example.com/a.pdf", image: "https://example.com/a.png" }],
])("the same request has one fingerprint as JSON and as a form: %s", async (_, product, fields) => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  const { body, headers } = new Response(form);
  const limits = { file: limitsOf(), image: limitsOf() };
  const { fields: read } = await readForm(body!, headers.get("Content-Type")!, limits);
  const [one, other] = [product.accept(fields, "json"), product.accept(read, "form")];
  expect(await fingerprintOf(other.canonical)).toBe(await fingerprintOf(one.canonical));
});
