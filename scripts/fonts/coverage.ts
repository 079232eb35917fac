/**
 * Which code points a font has, written as `gap+length` pairs in base 36, separated by commas: each range's distance from
 * the end of the one before, and how many more code points than one it has (left out where none).
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
