/**
 * Encodes ascending code points as ranges, separated by commas. A range is written as `gap+more` in base 36. `gap` is
 * the distance from the end of the previous range (exclusive). `more` is the number of code points after the first one;
 * 0 is omitted.
 */
export function encodeRanges(codePoints: Iterable<number>): string {
  const ranges: string[] = [];
  let end = 0;
  let run: { start: number; end: number } | undefined;
  const close = () => {
    if (!run) return;
    const more = run.end - run.start - 1;
    ranges.push((run.start - end).toString(36) + (more > 0 ? `+${more.toString(36)}` : ""));
    end = run.end;
  };
  for (const codePoint of codePoints) {
    if (run?.end === codePoint) run.end++;
    else {
      close();
      run = { start: codePoint, end: codePoint + 1 };
    }
  }
  close();
  return ranges.join(",");
}
