import * as z from "zod";
import { FIELD_KINDS } from "./fieldKinds.ts";
import { nearest } from "./nearest.ts";

/**
 * Returns the schema of a field that takes one name of a list, or a synonym of a name. Synonyms are accepted but not
 * published. The error for any other value suggests the most similar name, or lists all names.
 */
export function choice<N extends string, S extends string = never>(names: readonly N[], synonyms: readonly S[] = []) {
  const understood: readonly (N | S)[] = [...names, ...synonyms];
  return z
    .enum(understood, {
      error: ({ input }) => {
        const meant = typeof input === "string" ? nearest(input, understood) : undefined;
        return meant === undefined
          ? `must be ${FIELD_KINDS.choice.expected(names)}`
          : `is not known. Did you mean ${meant}?`;
      },
    })
    .meta({ enum: [...names] });
}
