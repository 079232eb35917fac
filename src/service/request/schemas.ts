import * as z from "zod";
import {
  BOUNDS,
  DEFAULTS,
  EDGES,
  FONT_STYLES,
  FRAME_BOXES,
  IMAGE_FORMATS,
  IMAGE_POSITIONS,
  type ImagePosition,
  isVisible,
  LAYERS,
  PLACEHOLDERS,
  POSITIONS,
  type Position,
  TEMPLATES,
  type TemplateName,
  unknownPlaceholder,
} from "../../engine/index.ts";
import { Upload } from "../../inputs/upload.ts";
import { once } from "../../shared/once.ts";
import { choice } from "./choice.ts";
import { FIELD_KINDS } from "./fieldKinds.ts";
import { takes, takesColor, takesFile, takesShare } from "./fieldMessages.ts";

/**
 * Schemas of requests and results: the single source for validation, OpenAPI and MCP. Request schemas are created on
 * first use, because creating them takes a fifth of the Worker's start-up time. Lengths are PDF points (1/72 inch) of
 * the page as the reader sees it. Patterns are published and read in many languages, so they use no flags and no
 * Unicode properties.
 */

/** Other common names of the positions. */
const SYNONYMS = {
  "top-center": "top",
  "top-middle": "top",
  "center-top": "top",
  "bottom-center": "bottom",
  "bottom-middle": "bottom",
  "center-bottom": "bottom",
  "middle-left": "left",
  "center-left": "left",
  "left-center": "left",
  "left-middle": "left",
  "middle-right": "right",
  "center-right": "right",
  "right-center": "right",
  "right-middle": "right",
  middle: "center",
  "center-center": "center",
  "middle-center": "center",
  "left-top": "top-left",
  "right-top": "top-right",
  "left-bottom": "bottom-left",
  "right-bottom": "bottom-right",
  tiled: "tile",
} as const;

type Synonym = keyof typeof SYNONYMS;

const canonical = <P extends Position>(name: P | Synonym) =>
  (Object.hasOwn(SYNONYMS, name) ? SYNONYMS[name as Synonym] : name) as P;

const templates = Object.keys(TEMPLATES) as TemplateName[];
/** Templates that the position `auto` can move. */
const movable = templates.filter((name) => !TEMPLATES[name].fixed);

/** Lists the templates by the value of a property: `#282828 (diagonal, tiled), #7a0c0c (stamp)`. */
function byTemplate(property: "position" | "color"): string {
  return [...Map.groupBy(templates, (name) => TEMPLATES[name][property])]
    .map(([value, names]) => `${value} (${names.join(", ")})`)
    .join(", ");
}

const FILE = takes("a URL, a data URI, base64 or an upload (tool request_upload, or POST /v1/uploads)");

// JVBERi is the beginning of %PDF in base64. Text that begins otherwise is more likely a path.
const FILE_PATTERN = /^([Hh][Tt][Tt][Pp][Ss]?:\/\/|[Dd][Aa][Tt][Aa]:|upload:|JVBERi)/;
// Text that begins like a PNG or JPEG in base64 is treated as base64, so that the error for malformed base64 applies to
// it. Other text that begins with a slash is a path.
const IMAGE_PATTERN =
  /^([Hh][Tt][Tt][Pp][Ss]?:\/\/|[Dd][Aa][Tt][Aa]:|upload:|iVBORw0KGgo|\/9j\/|[A-Za-z0-9+_=\s-][A-Za-z0-9+/_=\s-]*$)/;

/**
 * Matches the URL of an upload. Callers confuse this URL with the handle, but a GET of the URL returns only the upload
 * page.
 */
const UPLOAD_ADDRESS = /^https?:\/\/[^/]+\/v1\/uploads\/\d{6}-[0-9a-f]{32}\b/i;
const notUploadAddress = [
  (text: string) => !UPLOAD_ADDRESS.test(text),
  "is the URL to send the file to. Use the handle upload:… that came with it",
] as const;

const file = once(() =>
  z
    .string({ error: FILE })
    .regex(FILE_PATTERN, { error: takesFile("base64 of a PDF, which begins with JVBERi") })
    .refine(...notUploadAddress)
    .meta({
      description:
        "The PDF: a public http(s) URL, the handle of an upload (upload:…), a data URI (data:application/pdf;base64,…) or bare base64. Never a path.",
      examples: ["https://example.com/contract.pdf"],
    }),
);

const image = once(() =>
  z
    .string({ error: FILE })
    .regex(IMAGE_PATTERN, { error: takesFile("base64") })
    .refine(...notUploadAddress)
    .meta({
      description: `The image, ${IMAGE_FORMATS.join(" or ")}: a public http(s) URL, the handle of an upload (upload:…), a data URI or bare base64. Never a path.`,
      examples: ["https://example.com/logo.png"],
    }),
);

const SHARE_FROM_0 = takesShare("from 0 to 1");
const SHARE_ABOVE_0 = takesShare("more than 0 and at most 1");

const opacity = once(() =>
  z
    .number({ error: SHARE_FROM_0 })
    .min(BOUNDS.opacity[0], { error: SHARE_FROM_0 })
    .max(BOUNDS.opacity[1], { error: SHARE_FROM_0 })
    .default(DEFAULTS.opacity)
    .meta({ description: "Opacity of the mark as a whole, from 0 (invisible) to 1 (opaque).", examples: [0.15] }),
);
const layer = once(() =>
  choice(LAYERS)
    .default(DEFAULTS.layer)
    .describe("over the page's content, or under it: without transparency, and opacity is the tint of the colors."),
);
const margin = once(() =>
  z
    .number()
    .min(BOUNDS.marginPt[0])
    .max(BOUNDS.marginPt[1])
    .default(DEFAULTS.marginPt)
    .meta({
      description:
        "Minimum distance from the page's edges, in points. It is at most a tenth of the page's shorter side.",
      examples: [36],
    }),
);
/** The schema of a displacement in points. */
const offset = once(() => z.number().min(BOUNDS.offsetPt[0]).max(BOUNDS.offsetPt[1]).default(DEFAULTS.offsetPt));
const offsetX = once(() =>
  offset().meta({ description: "Points to the right of the position, or to the left if negative.", examples: [-12] }),
);
const offsetY = once(() =>
  offset().meta({ description: "Points above the position, or below it if negative.", examples: [-12] }),
);
const box = once(() =>
  choice(FRAME_BOXES)
    .optional()
    .describe("Page box to count from. Default: trim if the TrimBox is inset by more than 10 points, else crop."),
);
const GAP = "must be a number from 0 to 10, as a share of the mark's size";
const tileGap = once(() =>
  z
    .number({ error: GAP })
    .min(BOUNDS.tileGap[0], { error: GAP })
    .max(BOUNDS.tileGap[1], { error: GAP })
    .optional()
    .meta({
      description: "Gap between tiles, as a share of the mark's size. Default: 0.5 in a row, 1.5 between rows.",
      examples: [1],
    }),
);
const rotation = once(() =>
  z
    .number()
    .min(BOUNDS.rotation[0])
    .max(BOUNDS.rotation[1])
    .meta({ examples: [45] }),
);
/** Maximum length of the result's file name, in Unicode code points. */
export const MAX_FILENAME_CHARACTERS = 200;

/** The schema of a file's name, without folders. */
export const plainName = once(() =>
  z
    .string()
    .min(1)
    .max(MAX_FILENAME_CHARACTERS)
    .regex(/^[^\x00-\x1f\x7f-\x9f/\\]*$/, "must not contain control characters or path separators")
    .refine((name) => name.isWellFormed(), "must be well-formed Unicode"),
);

const filename = once(() =>
  plainName()
    .meta({ examples: ["contract-draft.pdf"] }) // set before the transform, because examples and defaults of a transform are not published
    .transform((name) => (/\.pdf$/i.test(name) ? name : `${name}.pdf`))
    .prefault("watermarked.pdf")
    .describe("The file name of the result. .pdf is added if it is missing."),
);
const password = once(() => z.string().max(1024).optional().describe("The password of an encrypted PDF."));

/**
 * Country codes that callers confuse with languages, and the right language codes. `kr` is also a language of Nigeria,
 * whose letterforms do not depend on this field.
 */
const COUNTRIES = new Map([
  ["jp", "ja"],
  ["cn", "zh"],
  ["kr", "ko"],
  ["rs", "sr"],
  ["pk", "ur"],
]);

/** Returns whether the runtime accepts a language tag: the order of its parts must follow BCP 47. */
function isLanguageTag(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

const notLanguage = "must be a language tag (BCP 47), such as ja, zh-Hant, zh-HK or ur";

const lang = once(() =>
  z
    .string()
    .max(35, { error: notLanguage, abort: true })
    .regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$/, { error: notLanguage, abort: true })
    .refine(isLanguageTag, notLanguage)
    .refine((tag) => !COUNTRIES.has(tag.toLowerCase()), {
      error: ({ input }) => `is a country. The language is ${COUNTRIES.get(String(input).toLowerCase())}`,
    })
    .optional()
    .meta({
      description:
        "Language of the text (BCP 47), which selects letterforms: ja, ko, zh-Hans, zh-Hant or zh-HK for ideographs, ur for Nastaliq, sr for Cyrillic. Default: Japanese with kana, Korean with hangul on the line, else the PDF's language (/Lang), else simplified Chinese.",
      examples: ["ja", "zh-Hant"],
    }),
);

/** Maximum length of the text, in Unicode code points. */
export const MAX_TEXT_CHARACTERS = 500;

const tooManyCharacters = `must have at most ${MAX_TEXT_CHARACTERS} characters`;

const text = once(() =>
  z
    .string({
      error: ({ input }) => (input === undefined ? "is required: the words to put on the page" : undefined),
    })
    .max(2 * MAX_TEXT_CHARACTERS, tooManyCharacters) // stops checking a text that is far too long; the limit is doubled, because a line break may still be two characters
    .meta({ examples: ["CONFIDENTIAL", "Copy for A. Smith\nPage {page} of {pages}"] })
    .transform((value) => value.replaceAll("\r\n", "\n")) // forms send line breaks as CRLF
    .pipe(
      z
        .string()
        .refine((value) => value.isWellFormed(), "must be well-formed Unicode")
        // decoders replace bytes that are not UTF-8 with U+FFFD, which must not appear on every page
        .refine((value) => !value.includes("\ufffd"), "must be UTF-8: it has replacement characters (U+FFFD)")
        .refine((value) => [...value].length <= MAX_TEXT_CHARACTERS, tooManyCharacters)
        .refine(isVisible, "must have a visible character")
        .refine((value) => !/[^\P{Cc}\n]/u.test(value), "must not have control characters other than line breaks")
        .refine((value) => !/\p{Noncharacter_Code_Point}/u.test(value), "must not have noncharacters")
        .refine((value) => unknownPlaceholder(value) === undefined, {
          error: ({ input }) =>
            `has {${unknownPlaceholder(String(input))}}, which is not a placeholder. The placeholders are ${PLACEHOLDERS.map((name) => `{${name}}`).join(", ")}; write {{ for a brace`,
        }),
    )
    .meta({
      minLength: 1,
      maxLength: MAX_TEXT_CHARACTERS,
      description:
        "The words to put on the page, in any script. \\n breaks a line. {page}, {page:6} (six digits), {pages}, {date}, {date:long|us|eu}, {time} (UTC) and {filename} are filled in; {{ is a brace.",
    }),
);

/** Body of `POST /v1/watermark/text`. */
export const textRequest = once(() =>
  z.strictObject({
    file: file(),
    text: text(),
    template: choice(templates, {}, { field: "position", names: POSITIONS })
      .default(DEFAULTS.template)
      .describe(
        `The appearance: position, rotation, size, weight and color. Other fields of the request override it. ${templates.map((name) => `${name}: ${TEMPLATES[name].description}`).join(" ")}`,
      ),
    position: choice(POSITIONS, SYNONYMS, { field: "template", names: templates })
      .transform(canonical<Position>)
      .optional()
      .describe(
        `Place on the page as the reader sees it. auto: the emptiest place of each page, for ${movable.join(", ")}; copies of tiled spare barcodes. Default: from the template, ${byTemplate("position")}.`,
      ),
    opacity: opacity(),
    layer: layer(),
    rotation: rotation()
      .optional()
      .describe("Rotation in degrees, counter-clockwise as the reader sees the page. Default: from the template."),
    lang: lang(),
    color: z
      .string({ error: takesColor })
      .regex(/^#[0-9A-Fa-f]{6}$/, { error: takesColor })
      .optional()
      .meta({ description: `#rrggbb. Default: from the template, ${byTemplate("color")}.`, examples: ["#cc0000"] }),
    font: choice(FONT_STYLES)
      .default(DEFAULTS.font)
      .describe("Style of Latin, Greek and Cyrillic letters. Other scripts have one style."),
    font_size: z
      .number()
      .gt(BOUNDS.fontSizePt[0])
      .max(BOUNDS.fontSizePt[1])
      .optional()
      .meta({
        description: "Font size in points. Default: the largest size that the template allows and the page can hold.",
        examples: [48],
      }),
    page_start: z
      .int()
      .min(BOUNDS.pageStart[0])
      .max(BOUNDS.pageStart[1])
      .default(DEFAULTS.pageStart)
      .meta({ description: "The {page} of the first page.", examples: [101] }),
    margin: margin(),
    box: box(),
    offset_x: offsetX(),
    offset_y: offsetY(),
    tile_gap: tileGap(),
    password: password(),
    filename: filename(),
  }),
);

/** Body of `POST /v1/watermark/image`. */
export const imageRequest = once(() =>
  z.strictObject({
    file: file(),
    image: image(),
    position: choice(IMAGE_POSITIONS, SYNONYMS)
      .transform(canonical<ImagePosition>)
      .prefault(DEFAULTS.imagePosition)
      .describe("Place on the page as the reader sees it. auto: the emptiest place of each page."),
    opacity: opacity(),
    layer: layer(),
    scale: z
      .number({ error: SHARE_ABOVE_0 })
      .gt(BOUNDS.scale[0], { error: SHARE_ABOVE_0 })
      .max(BOUNDS.scale[1], { error: SHARE_ABOVE_0 })
      .default(DEFAULTS.scale)
      .meta({
        description: "Width of the image as a share of the page's width. The image shrinks if it would leave the page.",
        examples: [0.2],
      }),
    edge: choice(EDGES)
      .default(DEFAULTS.edge)
      .describe(
        "auto: a PNG with transparency gets a white edge where the page is dark, if its colors need one. none: no edge.",
      ),
    rotation: rotation()
      .default(DEFAULTS.rotation)
      .describe("Rotation in degrees, counter-clockwise as the reader sees the page."),
    margin: margin(),
    box: box(),
    offset_x: offsetX(),
    offset_y: offsetY(),
    tile_gap: tileGap(),
    password: password(),
    filename: filename(),
  }),
);

/**
 * Adds a check to a schema: the position `auto` requires a template without a fixed position. A schema with this check
 * cannot be extended.
 */
export function withPlaceCheck<S extends z.ZodType<{ position?: Position | undefined; template: TemplateName }>>(
  schema: S,
): S {
  return schema.refine(({ position, template }) => position !== "auto" || movable.includes(template), {
    path: ["position"],
    error: `is auto, which needs another template: ${FIELD_KINDS.choice.expected(movable)}`,
  });
}

/** Names of the operations in results. */
const operations = ["watermark.text", "watermark.image"] as const;
/** The schema of an operation's name. */
export const operation = z.enum(operations);
export type Operation = (typeof operations)[number];

/** Schema of the answer to a paid call. */
export const result = z.strictObject({
  output: z.strictObject({
    url: z.url().describe("Link to the watermarked PDF. It works until it expires."),
    expires_at: z.iso.datetime().describe("When the link expires (ISO 8601, UTC)."),
    pages: z.int().min(1),
    bytes: z.int().min(1),
  }),
  operation,
  cost: z.string().describe("The price of the call: an amount and its currency."),
});

/** The answer to a paid call. */
export type Result = z.output<typeof result>;

const upload = once(() => z.instanceof(Upload).meta({ type: "string", format: "binary" }));

/**
 * Returns the schema of a form's file field, for a value that is sent as text. The error explains how to send the file
 * itself, because the most common mistake is to send the file's name (curl without `@`).
 */
function textForUpload(pattern: RegExp, others: string, curl: string) {
  return z
    .string()
    .regex(pattern, `must be an upload (in curl: -F ${curl}), ${others}`)
    .refine(...notUploadAddress);
}
const fileText = once(() =>
  textForUpload(FILE_PATTERN, "an http(s) URL, a data URI, a handle or base64", "file=@contract.pdf"),
);
const imageText = once(() =>
  textForUpload(IMAGE_PATTERN, "an http(s) URL, a data URI, a handle or base64", "image=@logo.png"),
);
const fileOrUpload = once(() => z.union([upload(), fileText()], { error: FILE }).describe(file().description ?? ""));
const imageOrUpload = once(() => z.union([upload(), imageText()], { error: FILE }).describe(image().description ?? ""));

/**
 * Schema of a {@link textRequest} whose body has been read. The file is an {@link Upload} if it was long and has
 * already been received.
 */
export const textRead = once(() =>
  withPlaceCheck(textRequest().extend({ file: z.union([upload(), file()], { error: FILE }) })),
);
/**
 * Schema of an {@link imageRequest} whose body has been read. A file or image is an {@link Upload} if it was long and
 * has already been received.
 */
export const imageRead = once(() =>
  imageRequest().extend({
    file: z.union([upload(), file()], { error: FILE }),
    image: z.union([upload(), image()], { error: FILE }),
  }),
);

/** Schema of a {@link textRequest} as `multipart/form-data`. The file may be an {@link Upload}. */
export const textForm = once(() => withPlaceCheck(textRequest().extend({ file: fileOrUpload() })));
/** Schema of an {@link imageRequest} as `multipart/form-data`. The file and the image may each be an {@link Upload}. */
export const imageForm = once(() => imageRequest().extend({ file: fileOrUpload(), image: imageOrUpload() }));

/** A file in a request: the text of a field, or an {@link Upload}. */
export type Source = string | Upload;
/** A validated request for a text watermark, with defaults filled in. */
export type TextRequest = z.output<ReturnType<typeof textForm>>;
/** A validated request for an image watermark, with defaults filled in. */
export type ImageRequest = z.output<ReturnType<typeof imageForm>>;
