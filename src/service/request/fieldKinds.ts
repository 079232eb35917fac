/**
 * The kinds of request fields, in one table. Forms, the query, the CLI's flags, the page's controls and the error
 * messages are derived from this table. A field that is added to a request schema therefore works on every surface.
 * This file imports only types from zod, because the page loads this file but not zod.
 */
import type * as z from "zod";

/** A JSON value of a field that is not a file. */
export type FieldValue = string | number | boolean;

/** Returns whether a value is a text, a number or a boolean. */
export function isFieldValue(value: unknown): value is FieldValue {
  return ["string", "number", "boolean"].includes(typeof value);
}

interface Kind {
  /** Describes the valid values, as the end of the sentence "`opacity` must be …". A choice lists its names. */
  expected(names: readonly string[]): string;
  /** Parses a value that was sent as text. Returns an invalid text unchanged, so that the schema rejects it. */
  parse(text: string): FieldValue;
  /**
   * The argument of the CLI's flag, as the CLI's help shows it. Undefined for a flag without an argument, for which a
   * `--no-` flag also exists.
   */
  argument: string | undefined;
}

const unchanged = (text: string) => text;

export const FIELD_KINDS = {
  string: { expected: () => "a string", parse: unchanged, argument: "text" },
  number: { expected: () => "a number", parse: numberIn, argument: "number" },
  boolean: { expected: () => "true or false", parse: booleanIn, argument: undefined },
  choice: { expected: (names) => `one of ${names.join(", ")}`, parse: unchanged, argument: "name" },
  file: { expected: () => "a file", parse: unchanged, argument: "file" },
} as const satisfies Record<string, Kind>;

export type FieldKind = keyof typeof FIELD_KINDS;

/** Maps zod's schema types to field kinds. */
const KINDS_BY_TYPE: Partial<Record<z.core.$ZodTypeDef["type"], FieldKind>> = {
  string: "string",
  number: "number",
  boolean: "boolean",
  enum: "choice",
  custom: "file", // the schema type of an Upload
};

/**
 * Returns the kind of a request field from its schema, ignoring defaults and transforms. A union has the kind of its
 * first option.
 * @throws Error if the schema has no kind, because the field would not work as a form field, a flag or a control
 */
export function fieldKindOf(schema: z.core.$ZodType): FieldKind {
  const {
    type,
    innerType,
    in: input,
    options,
  } = schema._zod.def as z.core.$ZodTypeDef & {
    innerType?: z.core.$ZodType; // optional, default and prefault schemas have this member
    in?: z.core.$ZodType; // pipes and transforms have this member
    options?: readonly z.core.$ZodType[]; // union schemas have this member
  };
  const inner = innerType ?? input ?? options?.[0];
  if (inner) return fieldKindOf(inner);
  const kind = KINDS_BY_TYPE[type];
  if (kind === undefined) throw new Error(`A field of type ${type} has no kind. Add one to FIELD_KINDS.`);
  return kind;
}

/**
 * Returns the number that a text spells, or the text itself if it spells no number. Runs in time linear in the length
 * of the text.
 */
function numberIn(text: string): string | number {
  return /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text.trim()) ? Number(text) : text;
}

/**
 * Returns the boolean that a text spells in any case, since Python writes `True`. Returns the text itself if it spells
 * no boolean.
 */
function booleanIn(text: string): string | boolean {
  const word = text.trim().toLowerCase();
  return word === "true" || word === "false" ? word === "true" : text;
}
