/** Names a result after its source. */

const SUFFIX = "-watermarked.pdf";
/** Maximum length of a source's name in the name of a result. The API accepts at most 200 characters in total. */
const MAX_STEM_CHARACTERS = 150;

/** Returns the name of a marked file: `report-watermarked.pdf` for `report.pdf`. The API accepts the name. */
export function resultNameOf({ name }: File): string {
  const stem = name
    .replace(/\.pdf$/i, "")
    .replaceAll(/[\x00-\x1f\x7f-\x9f/\\]/g, "_")
    .toWellFormed();
  return [...stem].slice(0, MAX_STEM_CHARACTERS).join("") + SUFFIX;
}
