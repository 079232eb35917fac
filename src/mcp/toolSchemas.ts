import * as z from "zod";
import { jsonSchema } from "../service/request/jsonSchema.ts";
import { FILE_TYPES } from "./files.ts";

/** A JSON Schema that clients see. */
type Shown = z.core.JSONSchema.BaseSchema;

/**
 * JSON Schema keywords that every host accepts. Some hosts pass a tool's schema to the model's API unchanged. A single
 * unknown keyword makes Gemini reject all requests of a conversation. The strict modes of OpenAI, Azure and Anthropic
 * reject keywords such as `default`, `maxLength` and `minimum`. The service itself checks all limits of arguments.
 */
const KEYWORDS = ["type", "description", "enum"] as const;

/**
 * Short descriptions of arguments, because a host sends them with each request of a conversation. The resource with the
 * options contains the long descriptions.
 */
const SHORT: Record<string, string> = {
  file: "The PDF: a public http(s) URL, or the handle of an upload (upload:…). A small one also as base64. Never a path.",
  image: "A PNG or JPEG, in the same forms as `file`.",
  text: "The words, in any script. \\n breaks a line. {page}, {page:6} (six digits), {pages}, {date}, {date:long|us|eu}, {time} and {filename} are filled in; {{ is a brace.",
  template:
    "The appearance; other fields override it. tiled: small slanted copies. stamp: red frame, upper right. sidebar: up the left edge. outline: hollow letters.",
  position: "Place on the page. auto: the emptiest one.",
  opacity: "From 0 (invisible) to 1 (opaque).",
  layer: "Over or under the page's content.",
  scale: "Width of the image as a share of the page's width, up to 1.",
  edge: "auto: a white edge around transparent images on dark pages.",
  rotation: "Degrees, counter-clockwise.",
  lang: "Language of the text (BCP 47), for its letterforms: ja, zh-Hant …",
  color: "#rrggbb",
  font: "Style of Latin, Greek and Cyrillic letters.",
  font_size: "Points. Default: the largest size that fits the template and the page.",
  margin: "Distance from the page's edges, in points.",
  box: "Page box to count from.",
  offset_x: "Points to the right of the position.",
  offset_y: "Points above the position.",
  tile_gap: "Gap between tiles, as a share of the mark's size.",
  filename: "File name of the result.",
  size: "Length of the file in bytes, needed above 10000000.",
  type: "Kind of file.",
};

/** The object with which a host sends an attached file (OpenAI's Apps SDK, `openai/fileParams`). */
const attached = z.strictObject({
  download_url: z.string().describe("Filled in by the host for an attached file."),
  file_id: z.string(),
  mime_type: z.string().optional(),
  file_name: z.string().optional(),
});

/**
 * Returns the schema of a tool's arguments as hosts show it to models. A default other than 0 becomes a sentence of the
 * description.
 */
export function argumentsOf(schema: z.ZodObject): Shown {
  const { properties = {}, required } = jsonSchema(schema, { io: "input" });
  const shown = Object.entries(properties).map(([name, property]) => [name, argumentOf(name, property as Shown)]);
  return {
    type: "object",
    properties: Object.fromEntries(shown),
    ...(required && { required }),
    additionalProperties: false,
  };
}

function argumentOf(name: string, property: Shown): Shown {
  const kept = KEYWORDS.filter((keyword) => property[keyword] !== undefined);
  const shown = Object.fromEntries(kept.map((keyword) => [keyword, property[keyword]]));
  const description = SHORT[name] ?? property.description ?? "";
  const { default: fallback } = property;
  return {
    ...shown,
    description: fallback ? `${description.replace(/\.?$/, ".")} Default: ${fallback}.` : description,
  };
}

/**
 * Returns the schema of a tool's structured result, which clients show and check. The schema contains the types of all
 * top-level fields of `schemas`. No field is required, because clients also check the terms of an unpaid call against
 * this schema.
 */
export function resultOf(...schemas: z.ZodObject[]): Shown {
  const all = schemas.map((schema) => typesOf(jsonSchema(schema, { io: "input" })).properties);
  return { type: "object", properties: Object.assign({}, ...all) };
}

function typesOf({ type, properties, items }: Shown): Shown {
  const inner = Object.entries(properties ?? {}).map(([name, property]) => [name, typesOf(property as Shown)]);
  return {
    ...(type !== undefined && { type }),
    ...(inner.length > 0 && { properties: Object.fromEntries(inner) }),
    ...(items && { items: typesOf(items as Shown) }),
  };
}

/**
 * Returns the arguments of a tool for a host that sends each attached file as an object. Marks the arguments that are
 * files (`x-mcp-file`, SEP-2356 and SEP-2631).
 */
export function withAttachments(shown: Shown, fileNames: readonly string[]): Shown {
  const files = fileNames.map((name) => {
    const { description, ...text } = shown.properties![name] as Shown;
    return [
      name,
      { description, anyOf: [{ ...text, "x-mcp-file": { accept: FILE_TYPES[name] } }, jsonSchema(attached)] },
    ];
  });
  return { ...shown, properties: { ...shown.properties, ...Object.fromEntries(files) } };
}
