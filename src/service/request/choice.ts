import * as z from "zod";
import { FIELD_KINDS } from "./fieldKinds.ts";
import { nearest } from "./nearest.ts";

/**
 * Returns the schema of a field that takes one name of a list, or a synonym of one. Synonyms are understood and not
 * published. A name that is neither is refused with the one that was probably meant, or with the list.
 */
export function choice<N extends string, S extends string = never>(names: readonly N[], synonyms: readonly S[] = []) {
  const understood: readonly (N | S)[] = [...names, ...synonyms];
  return z
    .enum(understood, {
      error: ({ input }) => {
        const meant = typeof input === "string" ? nearest(input, understood) : undefined;
        return meant === undefined
          ? `must be ${FIELD_KINDS.choice.expected(names)}`
          : `is not known; did you mean ${meant}?`;
      },
    })
    .meta({ enum: [...names] });
}
