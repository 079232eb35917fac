/** Basic edits of a draft of a PDF, from which the damaging changes are composed. */
import type { Draft, Part } from "./draft.ts";

/**
 * Returns a changed draft. The fractions `a`, `b` and `c`, from 0 to 1, select the part to change and details of the
 * change.
 */
export type Change = (draft: Draft, a: number, b: number, c: number) => Draft;

const TOKEN =
  /\{[a-z]+ ?\d*\}|\d+ \d+ R|[+-]?\d*\.?\d+|\/[^\s()<>[\]{}/%]*|<<|>>|\[|\]|\((?:[^()\\]|\\.)*\)|<[\da-fA-F\s]*>|[A-Za-z]+/g;

/** Returns the item at the fraction `share` of a list's length. */
export const pick = <T>(items: readonly T[], share: number): T => items[Math.floor(share * items.length)]!;

/**
 * Returns an object number that the fraction `share` selects. The result is between 1 and one more than the largest
 * number in use.
 */
export function someNumber({ parts }: Draft, share: number): number {
  const largest = Math.max(
    ...parts.flatMap(({ num, members }) => [num ?? 0, ...(members ?? []).map(({ num }) => num)]),
  );
  return 1 + Math.floor(share * (largest + 1));
}

/** Returns the draft with the part at `index` replaced by any number of parts. */
export const replaced = ({ parts, ...rest }: Draft, index: number, ...by: Part[]): Draft => ({
  ...rest,
  parts: parts.toSpliced(index, 1, ...by),
});
/** Returns the index of the part at the fraction `share` of a draft's parts. */
export const indexOf = ({ parts }: Draft, share: number) => Math.floor(share * parts.length);

/** Returns the draft with one part changed. The fraction `share` selects the part. */
export function part(draft: Draft, share: number, change: (part: Part) => Part | Part[]): Draft {
  const index = indexOf(draft, share);
  const changed = draft.parts[index] && change(draft.parts[index]);
  return changed ? replaced(draft, index, ...[changed].flat()) : draft;
}

/** Returns the draft with the text of one part, or of one object-stream member, changed. */
export function text(draft: Draft, share: number, change: (text: string) => string): Draft {
  const index = indexOf(draft, share);
  const of = draft.parts[index];
  if (!of) return draft;
  const { members } = of;
  const rest = share * draft.parts.length - index;
  // gives the dictionary of an object stream the same chance of a change as each member
  const which = Math.floor(rest * ((members?.length ?? 0) + 1)) - 1;
  if (!members || which < 0) return replaced(draft, index, { ...of, text: change(of.text) });
  const member = members[which]!;
  return replaced(draft, index, { ...of, members: members.with(which, { ...member, text: change(member.text) }) });
}

/** Returns the draft with one token that matches the pattern `kind` changed. */
export function token(draft: Draft, a: number, b: number, kind: RegExp, change: (token: string) => string): Draft {
  return text(draft, a, (before) => {
    const found = [...before.matchAll(TOKEN)].filter(([word]) => kind.test(word));
    const one = pick(found, b);
    return one ? before.slice(0, one.index) + change(one[0]) + before.slice(one.index + one[0].length) : before;
  });
}

/**
 * Returns the text of an entry, with a reference to some object in place of each @.
 */
export function withReferences(draft: Draft, entry: string, share: number): string {
  let at = share;
  return entry.replaceAll("@", () => {
    at = (at * 7 + 0.37) % 1;
    return `${someNumber(draft, at)} 0 R`;
  });
}

/** Returns the text of object `num`, or undefined if the draft has no such object. */
export const textOf = ({ parts }: Draft, num: number): string | undefined =>
  parts.find((each) => each.num === num)?.text ??
  parts.flatMap(({ members }) => members ?? []).find((each) => each.num === num)?.text;
