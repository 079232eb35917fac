import * as z from "zod";
import { IMAGE_FORMATS } from "../engine/index.ts";
import { isDataUri } from "../inputs/inlineFile.ts";
import { Upload } from "../inputs/upload.ts";

/** The file arguments and the media types that each accepts. */
export const FILE_TYPES: Record<string, string[]> = {
  file: ["application/pdf"],
  image: IMAGE_FORMATS.map((format) => `image/${format.toLowerCase()}`),
};

/** A text, or a long file that has already been received. */
const text = z.union([z.string(), z.instanceof(Upload)]);

/** The contents of a resource (MCP, `BlobResourceContents`), or a link to it. */
const resource = z.union([
  z.object({ blob: text }).transform(({ blob }) => dataUri(blob)),
  z.object({ uri: text }).transform(({ uri }) => uri),
]);

/** The object forms in which hosts and clients send a file. Parsing converts the object to its URL or data URI. */
const fileObject = z.union([
  z.object({ download_url: text }).transform(({ download_url }) => download_url),
  z.object({ type: z.literal("resource"), resource }).transform((block) => block.resource),
  z.object({ type: z.literal("image"), data: text }).transform(({ data }) => dataUri(data)),
  resource,
]);

/**
 * Returns base64 as a data URI. Omits the media type, because files are recognized by their bytes. Some clients already
 * send a data URI instead of base64.
 */
function dataUri(base64: string | Upload): string | Upload {
  return base64 instanceof Upload || isDataUri(base64) ? base64 : `data:;base64,${base64}`;
}

/** Returns the names of a tool's file arguments. */
export function fileParams(schema: z.ZodObject): string[] {
  return Object.keys(FILE_TYPES).filter((name) => Object.hasOwn(schema.shape, name));
}

/**
 * Converts each file argument to a text that products accept: the URL of an attachment or link, or the data URI of an
 * embedded blob. Keeps a long file that has already been received as an {@link Upload}. Keeps any other value, which
 * the product's schema then rejects.
 */
export function withFilesAsText(fields: unknown, schema: z.ZodObject): unknown {
  if (fields === null || typeof fields !== "object") return fields;
  const given = fields as Record<string, unknown>;
  const texts = fileParams(schema)
    .filter((name) => Object.hasOwn(given, name))
    .map((name) => [name, fileObject.safeParse(given[name]).data ?? given[name]]);
  return { ...given, ...Object.fromEntries(texts) };
}
