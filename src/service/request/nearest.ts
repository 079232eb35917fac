import leven from "leven";

/** Longer names than this are nobody's slip of the pen. */
const MAX_CHARACTERS = 64;

/**
 * Returns the known name that somebody who wrote `name` most likely meant: a third of its characters may differ, or one
 * contains the other. Undefined if none is so near.
 */
export function nearest(name: string, known: readonly string[]): string | undefined {
  if (name.length > MAX_CHARACTERS) return undefined;
  const written = plain(name);
  const [best] = known
    .map((candidate) => ({ candidate, distance: leven(written, plain(candidate)) }))
    .toSorted((a, b) => a.distance - b.distance);
  if (best && best.distance <= Math.max(1, Math.floor(written.length / 3))) return best.candidate;
  return known.find((candidate) => contains(written, plain(candidate)) || contains(plain(candidate), written));
}

/** The shortest name that can be misspelt and still be known: `text` is near to too many words. */
const MIN_SLIP_CHARACTERS = 5;

/** Returns the known name that `name` is, but for case, and for a slip of the pen in a longer one; undefined if it is none. */
export function knownName(name: string, known: readonly string[]): string | undefined {
  if (name.length > MAX_CHARACTERS) return undefined;
  const written = plain(name);
  return known.find((candidate) => {
    const other = plain(candidate);
    const slips = letters(written) === letters(other) ? 2 : 1; // two letters may be swapped
    return written === other || (other.length >= MIN_SLIP_CHARACTERS && leven(written, other) <= slips);
  });
}

function letters(name: string): string {
  return [...name].sort().join("");
}

/** Case, spaces and underscores are the commonest differences. */
function plain(name: string): string {
  return name.toLowerCase().replace(/[\s_]+/g, "-");
}

function contains(long: string, short: string): boolean {
  return short.length > 2 && long.includes(short);
}
