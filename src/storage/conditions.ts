/** Conditional and range requests (RFC 9110, sections 13 and 14), as pure functions of the headers. */

/** A satisfiable part of a file, in bytes. */
export interface ByteRange {
  offset: number;
  length: number;
}

interface Validators {
  size: number;
  httpEtag: string;
  uploaded: Date;
}

/** Whether the client's copy is current: `If-None-Match`, else `If-Modified-Since`. */
export function notModified(headers: Headers, { httpEtag, uploaded }: Validators): boolean {
  const noneMatch = headers.get("If-None-Match");
  if (noneMatch !== null)
    return noneMatch.split(",").some((tag) => tag.trim() === "*" || tag.trim().replace(/^W\//, "") === httpEtag);
  const since = headers.get("If-Modified-Since");
  return since !== null && wholeSeconds(uploaded) <= Date.parse(since);
}

/**
 * The part of the file asked for. Undefined for all of it: no `Range`, one of several parts or another unit (which may be
 * ignored), or an `If-Range` that no longer holds.
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

/** HTTP dates have no fraction. */
function wholeSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000) * 1000;
}
