import * as z from "zod";
import { FIELD_KINDS } from "./fieldKinds.ts";
import { nearest } from "./nearest.ts";

/**
 * Words that callers use in the names of positions, each with the word that this API uses. A word with an empty
 * replacement is left out.
 */
const WORDS = new Map([
  ["upper", "top"],
  ["lower", "bottom"],
  ["centre", "center"],
  ["corner", ""],
]);

/**
 * Returns the schema of a field that accepts one name of a list, or a synonym of a name. Synonyms are accepted but not
 * published. The error for any other value suggests the most similar name, or lists all names.
 * @param synonyms the name that each synonym stands for
 * @param other a field that callers confuse with this one, and the names that it accepts
 */
export function choice<N extends string, S extends string = never>(
  names: readonly N[],
  synonyms?: Readonly<Record<S, string>>,
  other?: { field: string; names: readonly string[] },
) {
  const canonical = new Map(Object.entries<string>(synonyms ?? {}));
  const understood = [...names, ...canonical.keys()] as (N | S)[];
  return z
    .enum(understood, {
      error: ({ input }) => {
        const meant = typeof input === "string" ? nearest(inOurWords(input), understood) : undefined;
        if (meant !== undefined) return `is not known. Did you mean ${canonical.get(meant) ?? meant}?`;
        const home = other?.names.find((name) => name === input);
        if (home !== undefined) return `is a ${other!.field}: send \`${other!.field}\` with the value ${home}`;
        return `must be ${FIELD_KINDS.choice.expected(names)}`;
      },
    })
    .meta({ enum: [...names] });
}

function inOurWords(name: string): string {
  const words = name.toLowerCase().split(/[\s_-]+/);
  return words
    .map((word) => WORDS.get(word) ?? word)
    .filter((word) => word !== "")
    .join("-");
}
