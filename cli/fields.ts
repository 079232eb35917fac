/** The fields of a request as flags, by the schemas that the service checks its requests with. */
import { type Command, InvalidArgumentError, Option } from "commander";
import * as z from "zod";
import { IMAGE_FORMATS } from "../src/engine/index.ts";
import { FIELD_KINDS, fieldKindOf } from "../src/service/request/fieldKinds.ts";
import { fieldMessage } from "../src/service/request/fieldMessages.ts";
import { invalidRequest } from "../src/service/request/invalidRequest.ts";
import { type ImageRequest, imageRequest, type TextRequest, textRequest } from "../src/service/request/schemas.ts";
import { typedFields } from "../src/service/request/typedFields.ts";
import { misuse } from "./failure.ts";
import { readSecretFile } from "./secretFile.ts";

const textSettings = textRequest().omit({ file: true });
const imageSettings = imageRequest().omit({ file: true, image: true });
const shapes = { "--text": textSettings, "--image": imageSettings };

/** The fields that are given as flags, unchecked, by the names that requests have for them. */
export type GivenFields = Record<string, string>;

/** A request whose fields are right; its files are not looked at yet. */
export type CheckedFields = { given: GivenFields } & (
  | { operation: "text"; request: Omit<TextRequest, "file"> }
  | { operation: "image"; request: Omit<ImageRequest, "file" | "image">; imagePath: string }
);

/** What is published of a field. */
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

/** Adds a flag for each field of a request to a command: those of a text, those of an image, and those of both. */
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
    `An image to lay over the page, ${IMAGE_FORMATS.join(" or ")}.`,
  );
  command.addOption(imageOption.helpGroup("With --image:"));
  for (const [name, field] of Object.entries(image))
    if (name in text) add(textSchema, name, "With either:", text[name]!, field);
    else add(imageSchema, name, "With --image:", field);
  const passwordFile =
    "A file with the password, for nobody else to read: other programs see what is an argument, here and in the shell's history.";
  command.addOption(valueOption(command, "--password-file <file>", passwordFile).helpGroup("With either:"));
  command.addOption(new Option("--font_size <number>").argParser(once("--font_size")).hideHelp()); // as requests have it
}

/** Returns the flag of a field, and of a field whose flag has no argument the flag that says no as well. */
function fieldOptions(command: Command, name: string, argument: string | undefined, description: string): Option[] {
  const flag = flagOf(name);
  if (argument !== undefined) return [valueOption(command, `${flag} <${argument}>`, description)];
  return [new Option(flag, description), new Option(flag.replace("--", "--no-"), `The opposite of ${flag}.`)];
}

/**
 * Makes an option with a value of its own: it is refused where it is there twice, and where the value was forgotten, so
 * that the next flag stands in its place.
 */
export function valueOption(command: Command, flags: string, description: string): Option {
  const [flag = flags] = flags.split(" ").filter((part) => part.startsWith("--"));
  return new Option(flags, description).argParser(once(flag, command));
}

function once(flag: string, command?: Command) {
  return (value: string, before: unknown): string => {
    if (before !== undefined) throw new InvalidArgumentError(`${flag} is there twice.`);
    const isFlag = command?.options.some(({ long, short }) => value === long || value === short);
    if (isFlag) throw new InvalidArgumentError(`${flag} has no value: ${value} is the next flag.`);
    return value;
  };
}

/** The flags whose words differ from the field's: there is no link that has a name, but a file. */
const OWN_WORDS: Record<string, string> = {
  filename: "The name of the result; .pdf is added where it is missing. Default: that of FILE, with -watermarked.",
};

function describe(name: string, field: Published, forImage: Published | undefined): string {
  if (OWN_WORDS[name]) return OWN_WORDS[name];
  const { minimum, maximum, examples = [] } = field;
  const description = (field.description ?? "").replace(
    "\\n breaks",
    () => "a line break, $'…\\n…' in most shells, breaks",
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
 * Checks the flags as the service checks a request, in the same words.
 * @param options as commander has read them
 * @throws Failure that names each wrong flag
 */
export function checkFields(options: Record<string, unknown>): CheckedFields {
  const given = givenFields(options, [...Object.keys(textSettings.shape), ...Object.keys(imageSettings.shape)]);
  const { image: imagePath, passwordFile } = options;
  if (typeof passwordFile === "string") {
    if (given.password !== undefined) throw misuse("--password and --password-file do not go together");
    given.password = readSecretFile(passwordFile).replace(/\r?\n$/, "");
  }
  if (typeof imagePath !== "string") {
    if (given.text === undefined) throw misuse("--text or --image is needed: what to lay over the pages");
    return { operation: "text", request: checked("--text", textSettings, given), given };
  }
  if (given.text !== undefined) throw misuse("--text and --image do not go together: a call lays one of them");
  return { operation: "image", request: checked("--image", imageSettings, given), imagePath, given };
}

/**
 * Returns the fields that flags give, as the text that a form has.
 * @param options as commander has read them
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
      .map(({ path, message }) => `${flagOf(path)} ${message.replace("a field here", `one of ${kind}`)}`)
      .join("; "),
  );
}

function camelCase(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
