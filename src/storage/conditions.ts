/** Conditional and range requests (RFC 9110, sections 13 and 14), as pure functions of the headers. */

/** A satisfiable range of a file, in bytes. */
export interface ByteRange {
  offset: number;
  length: number;
}

interface Validators {
  size: number;
  httpEtag: string;
  uploaded: Date;
}

/**
 * Evaluates the conditional headers of a GET or HEAD, in the order of RFC 9110, 13.2.2. Ignores invalid dates.
 * @returns undefined if all conditions hold, so that the file is sent
 */
export function unmetCondition(
  headers: Headers,
  { httpEtag, uploaded }: Validators,
): "precondition failed" | "not modified" | undefined {
  const modified = wholeSeconds(uploaded);
  const match = headers.get("If-Match");
  if (match !== null) {
    if (!tagsIn(match).some((tag) => tag === "*" || tag === httpEtag)) return "precondition failed";
  } else if (modified > dateIn(headers, "If-Unmodified-Since")) return "precondition failed";

  const noneMatch = headers.get("If-None-Match");
  if (noneMatch !== null)
    return tagsIn(noneMatch).some((tag) => tag === "*" || tag.replace(/^W\//, "") === httpEtag)
      ? "not modified"
      : undefined;
  return modified <= dateIn(headers, "If-Modified-Since") ? "not modified" : undefined;
}

/**
 * Returns the range that the request asks for.
 * @returns undefined if the whole file must be sent: `Range` is missing or invalid, contains several ranges or a unit
 * other than bytes (a server may ignore both), or `If-Range` does not match
 */
export function rangeOf(
  headers: Headers,
  { size, httpEtag, uploaded }: Validators,
): ByteRange | "unsatisfiable" | undefined {
  const asked = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(headers.get("Range") ?? "");
  if (!asked || (asked[1] === "" && asked[2] === "")) return undefined;
  const ifRange = headers.get("If-Range");
  if (ifRange !== null && ifRange !== httpEtag && Date.parse(ifRange) !== wholeSeconds(uploaded)) return undefined;

  const [first, last] = [asked[1] ?? "", asked[2] ?? ""];
  if (first === "") {
    const length = Math.min(Number(last), size);
    return length === 0 ? "unsatisfiable" : { offset: size - length, length };
  }
  const [offset, end] = [Number(first), last === "" ? size - 1 : Math.min(Number(last), size - 1)];
  if (last !== "" && Number(last) < offset) return undefined;
  return offset >= size ? "unsatisfiable" : { offset, length: end - offset + 1 };
}

function tagsIn(list: string): string[] {
  return list.split(",").map((tag) => tag.trim());
}

/**
 * Returns the date of a header in Unix milliseconds. If the header has no valid date, returns NaN, which makes every
 * comparison false.
 */
function dateIn(headers: Headers, name: string): number {
  return Date.parse(headers.get(name) ?? "");
}

/** Rounds down to whole seconds, because HTTP dates have no fraction. */
function wholeSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000) * 1000;
}
