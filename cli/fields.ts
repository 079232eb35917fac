/** Request fields as flags, derived from and checked by the service's own request schemas. */
import { type Command, InvalidArgumentError, Option } from "commander";
import * as z from "zod";
import { IMAGE_FORMATS } from "../src/engine/index.ts";
import { FIELD_KINDS, fieldKindOf } from "../src/service/request/fieldKinds.ts";
import { fieldMessage } from "../src/service/request/fieldMessages.ts";
import { invalidRequest } from "../src/service/request/invalidRequest.ts";
import {
  type ImageRequest,
  imageRequest,
  type TextRequest,
  textRequest,
  withPlaceCheck,
} from "../src/service/request/schemas.ts";
import { typedFields } from "../src/service/request/typedFields.ts";
import { misuse } from "./failure.ts";
import { readSecretFile } from "./secretFile.ts";

const textSettings = withPlaceCheck(textRequest().omit({ file: true }));
const imageSettings = imageRequest().omit({ file: true, image: true });
const shapes = { "--text": textSettings, "--image": imageSettings };

/** The unchecked values of the given flags, by field name. */
export type GivenFields = Record<string, string>;

/** A request with valid fields. Its files have not been read yet. */
export type CheckedFields = { given: GivenFields } & (
  | { operation: "text"; request: Omit<TextRequest, "file"> }
  | { operation: "image"; request: Omit<ImageRequest, "file" | "image">; imagePath: string }
);

/** The JSON Schema of a field. */
interface Published {
  description?: string;
  enum?: string[];
  default?: unknown;
  examples?: unknown[];
  minimum?: number;
  maximum?: number;
}

const published = (schema: z.ZodType) =>
  z.toJSONSchema(schema, { io: "input" }).properties as Record<string, Published>;

/** Adds a flag for each request field to a command, grouped into text fields, image fields and common fields. */
export function addFieldOptions(
  command: Command,
  textSchema: z.ZodObject = textSettings,
  imageSchema: z.ZodObject = imageSettings,
): void {
  const [text, image] = [published(textSchema), published(imageSchema)];
  const add = (schema: z.ZodObject, name: string, group: string, field: Published, forImage?: Published) => {
    const { argument } = FIELD_KINDS[fieldKindOf(schema.shape[name]!)];
    for (const option of fieldOptions(command, name, argument, describe(name, field, forImage)))
      command.addOption(option.helpGroup(group));
  };
  for (const [name, field] of Object.entries(text)) if (!(name in image)) add(textSchema, name, "With --text:", field);
  const imageOption = valueOption(
    command,
    "--image <file>",
    `The image to put on every page, ${IMAGE_FORMATS.join(" or ")}.`,
  );
  command.addOption(imageOption.helpGroup("With --image:"));
  for (const [name, field] of Object.entries(image))
    if (name in text) add(textSchema, name, "With either:", text[name]!, field);
    else add(imageSchema, name, "With --image:", field);
  const passwordFile =
    "File with the password, readable only by you. Prefer this to --password: other programs can read arguments.";
  command.addOption(valueOption(command, "--password-file <file>", passwordFile).helpGroup("With either:"));
  // accepts --font_size, the API's spelling of --font-size
  command.addOption(new Option("--font_size <number>").argParser(once("--font_size")).hideHelp());
}

/** Returns the option of a field. A field whose flag has no argument also gets a `--no-` option. */
function fieldOptions(command: Command, name: string, argument: string | undefined, description: string): Option[] {
  const flag = flagOf(name);
  if (argument !== undefined) return [valueOption(command, `${flag} <${argument}>`, description)];
  return [new Option(flag, description), new Option(flag.replace("--", "--no-"), `The opposite of ${flag}.`)];
}

/**
 * Creates an option with a value. Rejects a repeated option. Also rejects an option without a value, which would
 * otherwise take the next flag as its value.
 */
export function valueOption(command: Command, flags: string, description: string): Option {
  const [flag = flags] = flags.split(" ").filter((part) => part.startsWith("--"));
  return new Option(flags, description).argParser(once(flag, command));
}

function once(flag: string, command?: Command) {
  return (value: string, before: unknown): string => {
    if (before !== undefined) throw new InvalidArgumentError(`${flag} was given more than once.`);
    const isFlag = command?.options.some(({ long, short }) => value === long || value === short);
    if (isFlag) throw new InvalidArgumentError(`${flag} has no value, since ${value} is the next flag.`);
    return value;
  };
}

/**
 * Flag descriptions that replace the descriptions of the API fields, because a result of the CLI is a file instead of a
 * link.
 */
const DESCRIPTIONS: Record<string, string> = {
  filename: "Name of the result. A missing .pdf is added. Default: the name of FILE with -watermarked.",
};

function describe(name: string, field: Published, forImage: Published | undefined): string {
  if (DESCRIPTIONS[name]) return DESCRIPTIONS[name];
  const { minimum, maximum, examples = [] } = field;
  const description = (field.description ?? "").replace(
    "\\n breaks",
    () => "A line break, $'…\\n…' in most shells, breaks",
  );
  const parts = [description];
  const unnamed = field.enum?.filter((value) => !description.includes(`${value}:`)) ?? [];
  if (unnamed.length > 0) parts.push(`One of ${unnamed.join(", ")}.`);
  if (minimum !== undefined && maximum !== undefined && !/\d to \d/.test(description) && name !== "opacity")
    parts.push(`${minimum} to ${maximum}.`);
  if (field.default !== undefined) parts.push(`Default: ${field.default}.`);
  if (forImage?.default !== undefined && forImage.default !== field.default)
    parts.push(`With --image: ${forImage.default}.`);
  if (examples.length > 0)
    parts.push(`For example ${examples.map((example) => shellWord(String(example))).join(" or ")}.`);
  return parts.join(" ");
}

function shellWord(text: string): string {
  if (/^[\w.-]+$/.test(text)) return text;
  return text.includes("\n") ? `$'${text.replaceAll("\n", "\\n")}'` : `'${text}'`;
}

/** Returns the flag of a field: `--font-size` for `font_size`. */
function flagOf(name: string): string {
  return `--${name.replaceAll("_", "-")}`;
}

/**
 * Validates the flags as the service validates a request, with the same messages.
 * @param options the options that commander parsed
 * @throws Failure that names each invalid flag
 */
export function checkFields(options: Record<string, unknown>): CheckedFields {
  const given = givenFields(options, [...Object.keys(textSettings.shape), ...Object.keys(imageSettings.shape)]);
  const { image: imagePath, passwordFile } = options;
  if (typeof passwordFile === "string") {
    if (given.password !== undefined)
      throw misuse("--password and --password-file cannot be combined: give one of them");
    given.password = readSecretFile(passwordFile).replace(/\r?\n$/, "");
  }
  if (typeof imagePath !== "string") {
    if (given.text === undefined) throw misuse("--text or --image is needed: give the watermark");
    return { operation: "text", request: checked("--text", textSettings, given), given };
  }
  if (given.text !== undefined) throw misuse("--text and --image cannot be combined: a call adds one of them");
  return { operation: "image", request: checked("--image", imageSettings, given), imagePath, given };
}

/**
 * Returns the given fields as text, as in a form.
 * @param options the options that commander parsed
 */
export function givenFields(options: Record<string, unknown>, names: readonly string[]): GivenFields {
  const given: GivenFields = {};
  for (const name of names) {
    const value = options[camelCase(name)] ?? options[name];
    if (typeof value === "string" || typeof value === "boolean") given[name] = String(value);
  }
  return given;
}

function checked<S extends z.ZodObject>(kind: keyof typeof shapes, schema: S, given: GivenFields): z.output<S> {
  const parsed = schema.safeParse(typedFields(given, schema), { error: fieldMessage });
  if (parsed.success) return parsed.data;
  const other = kind === "--text" ? "--image" : "--text";
  const { errors = [] } = invalidRequest(parsed.error.issues, {
    here: Object.keys(schema.shape),
    elsewhere: (name) => (name in shapes[other].shape ? other : undefined),
  });
  throw misuse(
    errors
      .map(
        ({ path, message }) =>
          `${flagOf(path)} ${message.replace("a field of this operation", `an option of ${kind}`)}`,
      )
      .join("; "),
  );
}

function camelCase(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
