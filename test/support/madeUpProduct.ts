import * as z from "zod";
import { Upload } from "../../src/inputs/upload.ts";
import { parsePrice } from "../../src/payments/wire/price.ts";
import { choice } from "../../src/service/request/choice.ts";
import { defineProduct, type Product } from "../../src/service/sale/products.ts";

/**
 * Returns a product for tests, whose request has a field of each kind. The requests can be validated but not executed.
 */
export function madeUpProduct(): Product {
  const source = z.string();
  const sourceOrUpload = z.union([z.instanceof(Upload), source]);
  const json = z.strictObject({
    file: source,
    image: source,
    title: z.string().max(10),
    size: z.number().max(10).default(1),
    bold: z.boolean().default(false),
    glow: z.boolean().optional(),
    layer: choice(["over", "under"]).default("over"),
    filename: z.string().default("a.pdf"),
  });
  const form = json.extend({ file: sourceOrUpload, image: sourceOrUpload });
  const schemas = { json: () => json, form: () => form };
  return defineProduct(
    {
      operation: "watermark.image",
      path: "/v1/made-up",
      tool: "made_up",
      summary: "Made up",
      description: "Made up.",
      example: {},
      price: () => parsePrice("0.05")!,
    },
    schemas,
    schemas,
    () => Promise.reject(new Error("made up")),
    () => Promise.resolve([]),
  );
}
