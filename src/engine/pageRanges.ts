/** Maximum number of ranges in a list of pages, which keeps the header of a notice short. */
const MAX_RANGES = 20;

/**
 * Returns page numbers as ranges, such as `1-3 7`. A list of more than `MAX_RANGES` ranges ends in `...`.
 * @param pages page numbers in ascending order
 */
export function pageRanges(pages: readonly number[]): string {
  const ranges: [first: number, last: number][] = [];
  for (const page of pages) {
    const range = ranges.at(-1);
    if (range && page === range[1] + 1) range[1] = page;
    else ranges.push([page, page]);
  }
  const listed = ranges.slice(0, MAX_RANGES).map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`));
  return [...listed, ...(ranges.length > MAX_RANGES ? ["..."] : [])].join(" ");
}
