import * as z from "zod";
import { IMAGE_FORMATS } from "../engine/index.ts";
import { isDataUri } from "../inputs/inlineFile.ts";
import { Upload } from "../inputs/upload.ts";
import { jsonSchema } from "../service/request/jsonSchema.ts";

/** The arguments that name files, and the media types that each takes. */
const FILES: Record<string, string[]> = {
  file: ["application/pdf"],
  image: IMAGE_FORMATS.map((format) => `image/${format.toLowerCase()}`),
};

/** What a host sends for a file that its user has attached (OpenAI's Apps SDK, `openai/fileParams`). */
const attached = z.strictObject({
  download_url: z.string().describe("Filled in by the host, for a file that is attached."),
  file_id: z.string(),
  mime_type: z.string().optional(),
  file_name: z.string().optional(),
});

/** A long file has been received already. */
const text = z.union([z.string(), z.instanceof(Upload)]);

/** The contents of a resource (MCP, `BlobResourceContents`), or a link to it. */
const resource = z.union([
  z.object({ blob: text }).transform(({ blob }) => dataUri(blob)),
  z.object({ uri: text }).transform(({ uri }) => uri),
]);

/** Every form but text in which hosts and clients hand over a file, converted to what it holds. */
const handedOver = z.union([
  z.object({ download_url: text }).transform(({ download_url }) => download_url),
  z.object({ type: z.literal("resource"), resource }).transform((block) => block.resource),
  z.object({ type: z.literal("image"), data: text }).transform(({ data }) => dataUri(data)),
  resource,
]);

/** Types are not told on: files are known by their bytes. Some clients send a data URI where base64 is meant. */
function dataUri(base64: string | Upload): string | Upload {
  return base64 instanceof Upload || isDataUri(base64) ? base64 : `data:;base64,${base64}`;
}

/** Returns which of a tool's arguments name files. */
export function fileParams(schema: z.ZodObject): string[] {
  return Object.keys(FILES).filter((name) => Object.hasOwn(schema.shape, name));
}

/**
 * Returns a tool's arguments with a text for each file, as products take it: the URL in an attachment or a link, a data
 * URI of an embedded blob, or what has been received of a long one. Anything else stays as it is, to be refused by the product's own schema.
 */
export function withFilesAsText(fields: unknown, schema: z.ZodObject): unknown {
  if (fields === null || typeof fields !== "object") return fields;
  const given = fields as Record<string, unknown>;
  const texts = fileParams(schema)
    .filter((name) => Object.hasOwn(given, name))
    .map((name) => [name, handedOver.safeParse(given[name]).data ?? given[name]]);
  return { ...given, ...Object.fromEntries(texts) };
}

/**
 * Returns the JSON Schema of an argument that names a file, given that of its text: also as the host's object, and marked
 * as a file (`x-mcp-file`, SEP-2356 and SEP-2631). It has no pattern: clients that check it themselves tell a model
 * nothing but that something does not match, and we say what to do with a path.
 */
export function fileSchema(name: string, text: object): object {
  const { description, examples } = text as z.core.JSONSchema.BaseSchema;
  // LangChain leaves but those of an `anyOf` that have properties, and the type of the first
  const string = { type: "string", properties: {}, "x-mcp-file": { accept: FILES[name] } };
  return { description, examples, anyOf: [string, jsonSchema(attached)] };
}
