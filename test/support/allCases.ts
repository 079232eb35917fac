/**
 * Whether tests run all cases of slow parameterized tests, as `npm run check:cases` does. Otherwise, as in `npm test`,
 * they run only a few of these cases.
 */
export const allCases = process.env.ALL_CASES === "true";

/**
 * Returns every `step`th case of a slow parameterized test, beginning with the first case. If {@link allCases} is set,
 * returns all cases.
 */
export function everyOf<T>(cases: readonly T[], step: number): readonly T[] {
  return allCases ? cases : cases.filter((_, at) => at % step === 0);
}
