import leven from "leven";

/** Maximum length of a name that is compared with the known names. */
const MAX_CHARACTERS = 64;

/**
 * Returns the known name that is most similar to `name`. At most a third of the characters may differ, unless one name
 * contains the other. Returns undefined if no name is similar enough.
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

/**
 * Minimum length of a known name that is recognized despite a typing error. Shorter names, such as `text`, are similar
 * to too many words.
 */
const MIN_SLIP_CHARACTERS = 5;

/**
 * Returns the known name that equals `name`, ignoring case, spaces and underscores. A known name of at least
 * `MIN_SLIP_CHARACTERS` characters matches despite one typing error. Returns undefined if no name matches.
 */
export function knownName(name: string, known: readonly string[]): string | undefined {
  if (name.length > MAX_CHARACTERS) return undefined;
  const written = plain(name);
  return known.find((candidate) => {
    const other = plain(candidate);
    const slips = letters(written) === letters(other) ? 2 : 1; // swapping two letters counts as an edit distance of 2
    return written === other || (other.length >= MIN_SLIP_CHARACTERS && leven(written, other) <= slips);
  });
}

function letters(name: string): string {
  return [...name].sort().join("");
}

/** Removes the most common differences between spellings: case, spaces and underscores. */
function plain(name: string): string {
  return name.toLowerCase().replace(/[\s_]+/g, "-");
}

function contains(long: string, short: string): boolean {
  return short.length > 2 && long.includes(short);
}
