import * as z from "zod";
import { FIELD_KINDS } from "./fieldKinds.ts";
import { nearest } from "./nearest.ts";

/**
 * Returns the schema of a field that takes one name of a list, or a synonym of one. Synonyms are accepted but not
 * published. Any other name is rejected with the most similar one, or with the list.
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
