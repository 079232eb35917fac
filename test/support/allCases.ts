/**
 * Whether tests run all cases of slow parameterized tests, as `npm run check:cases` does. Otherwise, as in `npm test`,
 * they run only a few of these cases.
 */
export const allCases = process.env.ALL_CASES === "true";

/**
 * Returns every `step`th case of a slow parameterized test, starting with the first case, or all cases if {@link
 * allCases} is set.
 */
export function everyOf<T>(cases: readonly T[], step: number): readonly T[] {
  return allCases ? cases : cases.filter((_, at) => at % step === 0);
}
