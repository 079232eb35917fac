/** Writes the types of the API for the client package, from the schemas of the service. */
import type { ZodObject } from "zod";
import { jsonSchema } from "../../src/service/request/jsonSchema.ts";
import { imageRequest, textRequest } from "../../src/service/request/schemas.ts";
import { NOTICES } from "../../src/service/sale/notices.ts";
import { PROBLEMS } from "../../src/shared/problems.ts";

/** The JSON Schema of a field. */
interface Field {
  type?: string;
  enum?: string[];
  description?: string;
  default?: unknown;
}

/** Returns the declarations that replace the contents of `packages/client/api.ts` in the package. */
export function apiTypes(): string {
  return [
    "/** The types of the service's API. `npm run build:packages` writes them from the schemas of the service. */",
    interfaceOf("TextFields", "Fields of a text watermark, except the file.", textRequest(), ["file"]),
    interfaceOf("ImageFields", "Fields of an image watermark, except the file and the image.", imageRequest(), [
      "file",
      "image",
    ]),
    unionOf("ProblemCode", "Codes of the service's errors.", Object.keys(PROBLEMS)),
    unionOf("NoticeCode", "Codes of the notices about a result.", [...Object.keys(NOTICES), "payment-not-settled"]),
  ].join("\n");
}

function interfaceOf(name: string, description: string, schema: ZodObject, omitted: readonly string[]): string {
  const { properties = {}, required = [] } = jsonSchema(schema, { io: "input" }) as {
    properties?: Record<string, Field>;
    required?: string[];
  };
  const lines = Object.entries(properties)
    .filter(([field]) => !omitted.includes(field))
    .map(([field, { description, default: value, ...type }]) => {
      const words = [description, value === undefined ? "" : `Default: \`${value}\`.`].filter(Boolean).join(" ");
      const optional = required.includes(field) ? "" : "?";
      return `  /** ${words} */\n  ${field}${optional}: ${typeOf(field, type)}${optional && " | undefined"};\n`;
    });
  return `/** ${description} */\nexport interface ${name} {\n${lines.join("")}}\n`;
}

function typeOf(name: string, { type, enum: values }: Field): string {
  if (values) return values.map((value) => JSON.stringify(value)).join(" | ");
  const known = { string: "string", number: "number", integer: "number", boolean: "boolean" }[String(type)];
  if (!known)
    throw new Error(`The field ${name} has the type ${type}, which scripts/packages/apiTypes.ts does not know.`);
  return known;
}

function unionOf(name: string, description: string, codes: readonly string[]): string {
  return `/** ${description} */\nexport type ${name} =\n${codes.map((code) => `  | "${code}"`).join("\n")};\n`;
}
