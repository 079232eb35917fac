import { Command } from "commander";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { addFieldOptions, givenFields } from "../../../cli/fields.ts";
import { Upload } from "../../../src/inputs/upload.ts";
import { FIELD_KINDS, type FieldKind, type FieldValue, fieldKindOf } from "../../../src/service/request/fieldKinds.ts";
import { jsonSchema } from "../../../src/service/request/jsonSchema.ts";
import { typedFields } from "../../../src/service/request/typedFields.ts";
import { PRODUCTS } from "../../../src/service/sale/products.ts";
import type { Problem } from "../../../src/shared/problems.ts";
import { Controls } from "../../../src/site/controls.tsx";
import { CLIENTS } from "../../../src/site/snippets.ts";
import { orderInWords } from "../../../web/chat/order.ts";
import { madeUpProduct } from "../../support/madeUpProduct.ts";

interface Row {
  /** Name of the made-up product's field of this kind. */
  field: string;
  value: FieldValue;
  /** HTML that the playground's control contains. */
  control: RegExp;
  /** Flags of the CLI that set the value. */
  flags: string[];
  wrong: string;
  message: string;
}

/** A field of each kind that JSON can represent. A new kind without a row here is a type error. */
const ROWS: Record<Exclude<FieldKind, "file">, Row> = {
  string: {
    field: "title",
    value: "true",
    control: /<input [^>]*name="title"[^>]* type="text"/,
    flags: ["--title", "true"],
    wrong: "A text that is too long",
    message: "must have at most 10 characters",
  },
  number: {
    field: "size",
    value: 2.5,
    control: /<input [^>]*name="size"[^>]* type="text"[^>]* inputmode="decimal"/,
    flags: ["--size", "2.5"],
    wrong: "big",
    message: "must be a number",
  },
  boolean: {
    field: "bold",
    value: true,
    control: /<input [^>]*name="bold"[^>]* type="checkbox"\/>/,
    flags: ["--bold"],
    wrong: "perhaps",
    message: "must be true or false",
  },
  choice: {
    field: "layer",
    value: "under",
    control: /<select [^>]*name="layer"[^>]*>.*<option value="under">/,
    flags: ["--layer", "under"],
    wrong: "beside",
    message: "must be one of over, under",
  },
};

const product = madeUpProduct();
const file = "https://example.com/contract.pdf";
const { json, form } = product.schemas;
const settings = json.omit({ file: true, image: true });

/** Returns the form fields that the CLI sends for some flags. */
function fieldsOfFlags(flags: string[]): Record<string, string> {
  const command = new Command().exitOverride();
  addFieldOptions(command, settings, settings);
  command.parse(flags, { from: "user" });
  return givenFields(command.opts(), Object.keys(settings.shape));
}

describe.each(Object.entries(ROWS))(
  "a request field of kind %s",
  (kind, { field, value, control, flags, wrong, message }) => {
    const base = { file, image: file, title: "A" };

    test("a field's value results in the same request as JSON, form field, query parameter or CLI flag", async () => {
      const asJson = { ...base, [field]: value };
      const asText = { ...base, [field]: String(value) };
      const expected = await product.accept(asJson, "json").fingerprint();
      const withDefault = { ...base, title: "B" };
      expect(await product.accept(withDefault, "json").fingerprint()).not.toBe(expected);
      expect(await product.accept(asText, "form").fingerprint()).toBe(expected);
      expect(await product.accept({ ...base, ...fieldsOfFlags(flags) }, "form").fingerprint()).toBe(expected);
    });

    test("the playground shows a field with the control for the field's kind", () => {
      const html = Controls({ product }).toString();
      expect(html).toMatch(control);
      expect(html).toMatch(new RegExp(`name="${field}"[^>]*data-kind="${kind}"`));
    });

    test("the playground's code sample for every client contains the name and value of a field", () => {
      const call = { origin: "http://localhost", path: product.path, tool: product.tool, file: "a.pdf" };
      for (const { id, write } of CLIENTS) {
        const code = write({ ...call, fields: { [field]: value } });
        const shown = { curl: `${field}=${value}`, mcp: `"${field}": ${JSON.stringify(value)}` }[id];
        expect(code).toContain(shown ?? `"${field}"`);
        expect(code).toContain(String(value));
      }
    });

    test("the playground's prompt for a chat contains the value of a field", () => {
      expect(orderInWords({ [field]: value })).toContain(String(value));
    });

    test("the JSON Schema in OpenAPI and MCP accepts a valid value of a field and rejects a value of a wrong type", () => {
      const published = z.fromJSONSchema(jsonSchema(json, { io: "input" }) as never) as z.ZodObject;
      expect(published.safeParse({ ...base, [field]: value })).toMatchObject({ success: true });
      expect(published.safeParse({ ...base, [field]: kind === "string" ? 1 : wrong })).toMatchObject({
        success: false,
      });
    });

    test("the service rejects an invalid value of a field and describes the valid values", () => {
      const refused = (format: "json" | "form", fields: object) => {
        try {
          product.accept(fields, format);
        } catch (error) {
          return (error as Problem).errors;
        }
        return undefined;
      };
      const errors = [{ path: field, message }];
      expect(refused("json", { ...base, [field]: wrong })).toEqual(errors);
      expect(refused("form", { ...base, [field]: wrong })).toEqual(errors);
    });
  },
);

describe("a boolean field", () => {
  test('a boolean field is off if its CLI flag starts with --no- or its form field is "false" in any letter case', () => {
    const schema = z.object({ glow: z.boolean().default(true) });
    expect(typedFields({ glow: "False" }, schema)).toEqual({ glow: false });
    expect(fieldsOfFlags(["--no-bold"])).toEqual({ bold: "false" });
  });

  test("the playground shows a boolean field as a list with an empty entry if its default depends on other fields", () => {
    const html = Controls({ product }).toString();
    expect(html).toMatch(/<select [^>]*name="glow"[^>]*><option value="" selected="">.*<option value="false">/);
  });
});

describe("a file field", () => {
  test("a file field has a file control, and accepts an upload or a text in a form", () => {
    expect(Controls({ product }).toString()).toMatch(/name="image"[^>]*data-kind="file" type="file"/);
    expect(form.shape.image!.safeParse(new Upload({} as never, "0".repeat(64))).success).toBe(true);
  });
});

describe("field kinds", () => {
  test.each(PRODUCTS)("fieldKindOf returns a kind for every field of $operation", ({ schemas }) => {
    for (const [name, schema] of Object.entries(schemas.form.shape))
      expect(Object.keys(FIELD_KINDS), name).toContain(fieldKindOf(schema));
  });

  test("fieldKindOf rejects a schema type that has no kind", () => {
    expect(() => fieldKindOf(z.array(z.string()))).toThrow("A field of type array has no kind");
  });
});
