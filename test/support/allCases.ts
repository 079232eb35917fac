/**
 * Whether tests run all cases of slow matrices, as `npm run check:cases` does. `npm test` runs a few cases of each of
 * these matrices.
 */
export const allCases = process.env.ALL_CASES === "true";

/** Returns every `step`th case of a slow matrix, beginning with the first one; all cases if {@link allCases} is set. */
export function everyOf<T>(cases: readonly T[], step: number): readonly T[] {
  return allCases ? cases : cases.filter((_, at) => at % step === 0);
}
