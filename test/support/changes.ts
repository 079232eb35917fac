/**
 * Changes that damage a draft of a PDF. They affect its structure: counts, lengths, references, filters, nesting,
 * entries, objects and sections.
 */
import { CONTENT_CHANGES } from "./contentChanges.ts";
import type { Draft, Tweak } from "./draft.ts";
import {
  type Change,
  indexOf,
  part,
  pick,
  replaced,
  someNumber,
  text,
  textOf,
  token,
  withReferences,
} from "./draftEdits.ts";
import { FILTERS } from "./filters.ts";
import { BRACKETS, ENTRIES, JUNK, NAMES, NUMBERS, VALUES } from "./hostileWords.ts";
import { TREE_CHANGES } from "./treeChanges.ts";

const NUMBER = /^(\{|[+-]?\d*\.?\d+$)/;
const REFERENCE = /^\d+ \d+ R$/;
const NAME = /^\//;
const BRACKET = /^(<<|>>|\[|\])$/;

/** Numbers of brackets to nest around a value. */
const WRAPPINGS = [1, 2, 30, 60, 300] as const;
/**
 * Values of /Length to try, some with other entries that affect the length. Each @ stands for a reference.
 */
const LENGTHS = [
  "",
  "/Length 0",
  "/Length 3",
  "/Length 99999",
  "/Length @",
  "/Length -1",
  "/Filter /FlateDecode",
  "/Filter /Unknown /Length 9",
  "/Filter [@] /Length @",
  "/Length null",
];

/** Returns a change that falsifies an entry of a cross-reference section. */
function tweak(field: Tweak["field"], isRelative: boolean, valueFor: (draft: Draft, share: number) => number): Change {
  return (draft, a, b, c) => {
    const sections = draft.parts.flatMap((each, index) => (each.rows || each.text.startsWith("xref") ? [index] : []));
    const index = pick(sections, a);
    const section = index === undefined ? undefined : draft.parts[index];
    if (index === undefined || !section) return draft;
    const one = { row: b, field, value: valueFor(draft, c), isRelative };
    return replaced(draft, index, { ...section, tweaks: [...(section.tweaks ?? []), one] });
  };
}

/** Ways to damage the data of a stream. */
const DAMAGES: readonly ((data: string) => string)[] = [
  (data) => data.slice(0, data.length >> 1),
  (data) => data.slice(0, -4),
  (data) => data.slice(2),
  (data) => `${data}\n${data}`,
  (data) => data.replace(/[\s\S]{3}$/, "xyz"),
  (data) => data.replace(/^[\s\S]{3}/, "xyz"),
  () => "",
];

/** All changes that damage a draft, by name. */
export const CHANGES: Record<string, Change> = {
  ...TREE_CHANGES,
  ...CONTENT_CHANGES,
  number: (draft, a, b, c) => token(draft, a, b, NUMBER, () => pick(NUMBERS, c)),
  objectNumber: (draft, a, b, c) => token(draft, a, b, NUMBER, () => String(someNumber(draft, c))),
  nudge: (draft, a, b, c) => token(draft, a, b, /^[+-]?\d+$/, (word) => String(Number(word) + pick([-2, -1, 1, 2], c))),
  reference: (draft, a, b, c) => token(draft, a, b, REFERENCE, () => `${someNumber(draft, c)} 0 R`),
  referenceTo: (draft, a, b, c) =>
    token(draft, a, b, REFERENCE, (word) =>
      pick(
        [
          `[${word}]`,
          `${word} ${word}`,
          "null",
          "<< >>",
          word.replace("0 R", "1 R"),
          word.replace(/ R/, ""),
          "0 0 R",
          "99999999 0 R",
          "-1 0 R",
          word.replaceAll(" ", "\n%x\n"),
        ],
        c,
      ),
    ),
  inline: (draft, a, b) => token(draft, a, b, REFERENCE, (word) => textOf(draft, Number.parseInt(word, 10)) ?? word),
  detour: (draft, a, b) => {
    const num = someNumber(draft, 0.999_999);
    let target = "null";
    const changed = token(draft, a, b, REFERENCE, (word) => {
      target = word;
      return `${num} 0 R`;
    });
    return replaced(changed, 0, ...(changed.parts[0] ? [changed.parts[0]] : []), { num, text: target });
  },
  name: (draft, a, b, c) => token(draft, a, b, NAME, () => pick(NAMES, c)),
  escape: (draft, a, b, c) =>
    token(draft, a, b, NAME, (word) => {
      const at = 1 + Math.floor(c * (word.length - 1));
      const code = word.charCodeAt(at);
      return Number.isNaN(code)
        ? word
        : `${word.slice(0, at)}#${code.toString(16).padStart(2, "0")}${word.slice(at + 1)}`;
    }),
  drop: (draft, a, b) => token(draft, a, b, /./, () => ""),
  dropEntry: (draft, a, b) =>
    text(draft, a, (before) => {
      const keys = [...before.matchAll(/\/\w+\s*(\[[^\]]*\]|\d+ \d+ R|\S+)/g)];
      const key = pick(keys, b);
      return key ? before.replace(key[0], "") : before;
    }),
  bracket: (draft, a, b, c) => token(draft, a, b, BRACKET, () => pick(BRACKETS, c)),
  wrap: (draft, a, b, c) =>
    token(draft, a, b, /./, (word) => {
      const times = pick(WRAPPINGS, (c * 2) % 1);
      return c < 0.5
        ? `${"[".repeat(times)}${word}${"]".repeat(times)}`
        : `${"<</A ".repeat(times)}${word}${">>".repeat(times)}`;
    }),
  entry: (draft, a, b, c) =>
    token(draft, a, b, /^(<<|>>)$/, (word) => {
      const entry = withReferences(draft, pick(ENTRIES, c), b);
      return word === "<<" ? `<< ${entry} ` : ` ${entry} >>`;
    }),
  graft: (draft, a, b, c) => {
    const entries = draft.parts
      .flatMap((each) => [each.text, ...(each.members ?? []).map((member) => member.text)])
      .flatMap((each) => each.match(/\/\w+ (\[[^\]]*\]|\d+ \d+ R|\/\w+|\d+)/g) ?? []);
    const entry = pick(entries, c) ?? "";
    return token(draft, a, b, /^(<<|>>)$/, (word) => (word === "<<" ? `<< ${entry} ` : ` ${entry} >>`));
  },
  object: (draft, a, b, c) => text(draft, a, () => withReferences(draft, pick(VALUES, c), b)),
  copyBody: (draft, a, b) => text(draft, a, (before) => textOf(draft, someNumber(draft, b)) ?? before),
  renumber: (draft, a, b) =>
    part(draft, a, (one) => (one.num === undefined ? one : { ...one, num: someNumber(draft, b) })),
  renumberMember: (draft, a, b, c) =>
    part(draft, a, (one) => {
      const { members } = one;
      const which = Math.floor(c * (members?.length ?? 0));
      return members?.[which]
        ? { ...one, members: members.with(which, { ...members[which], num: someNumber(draft, b) }) }
        : one;
    }),
  generation: (draft, a, b) => part(draft, a, (one) => ({ ...one, gen: pick([1, 2, 65_535, 99_999], b) })),
  double: (draft, a, b, c) => {
    const one = draft.parts[indexOf(draft, a)];
    const parts = one
      ? draft.parts.toSpliced(indexOf(draft, b), 0, c < 0.5 ? { ...one, isUnlisted: true } : one)
      : draft.parts;
    return { ...draft, parts };
  },
  move: (draft, a, b) => {
    const index = indexOf(draft, a);
    const one = draft.parts[index];
    return one ? { ...draft, parts: draft.parts.toSpliced(index, 1).toSpliced(indexOf(draft, b), 0, one) } : draft;
  },
  remove: (draft, a) => part(draft, a, () => []),
  unlist: (draft, a) => part(draft, a, (one) => ({ ...one, isUnlisted: true })),
  truncate: (draft, a) => ({ ...draft, parts: draft.parts.slice(0, 1 + indexOf(draft, a)) }),
  junk: (draft, a, _, c) => ({ ...draft, parts: draft.parts.toSpliced(indexOf(draft, a), 0, { text: pick(JUNK, c) }) }),
  pack: (draft, a, b) => {
    const index = indexOf(draft, a);
    const one = draft.parts[index];
    const at = pick(
      draft.parts.flatMap(({ members }, each) => (members ? [each] : [])),
      b,
    );
    const stream = at === undefined ? undefined : draft.parts[at];
    if (at === undefined || !stream || one?.num === undefined || one.data !== undefined || one.members) return draft;
    const filled = { ...stream, members: [...(stream.members ?? []), { num: one.num, text: one.text }] };
    return { ...draft, parts: draft.parts.with(at, filled).toSpliced(index, 1) };
  },
  unpack: (draft, a, b) =>
    part(draft, a, (one) => {
      const { members } = one;
      const which = Math.floor(b * (members?.length ?? 0));
      return members?.[which] ? [members[which], { ...one, members: members.toSpliced(which, 1) }] : one;
    }),
  filter: (draft, a, b, c) =>
    part(draft, a, (one) => {
      const filters = one.filters ?? [];
      return { ...one, filters: c < 0.5 ? [...filters, pick(FILTERS, b)] : [pick(FILTERS, b)] };
    }),
  entries: (draft, a, b, c) =>
    part(draft, a, (one) => ({
      ...one,
      entries: withReferences(draft, pick(LENGTHS, b), c),
    })),
  damage: (draft, a, b) => part(draft, a, (one) => ({ ...one, damage: pick(DAMAGES, b) })),
  entryPlace: tweak("place", true, (_, share) => pick([-9, -2, -1, 1, 2, 9, 60, 1000, 999_999], share)),
  entryElsewhere: tweak("place", false, (draft, share) =>
    share < 0.2 ? 0 : share < 0.5 ? someNumber(draft, share) : Math.floor(share * 2000),
  ),
  entryKind: tweak("kind", false, (_, share) => pick([0, 1, 2, 3], share)),
  entryDetail: tweak("detail", false, (_, share) => pick([0, 1, 2, 5, 65_535], share)),
  entryNumber: tweak("number", false, someNumber),
  update: (draft, a, b, c) => {
    const body = withReferences(draft, textOf(draft, someNumber(draft, b)) ?? "null", a);
    const link = pick(["/Prev {previous}", "", "/Prev 0", "/Prev {start}"], c);
    return {
      ...draft,
      parts: [
        ...draft.parts,
        { num: someNumber(draft, a), text: body },
        { text: `xref\n{rows}trailer\n<< /Size {size} /Root 1 0 R ${link} >>\n` },
        { text: "startxref\n{start}\n%%EOF\n" },
      ],
    };
  },
};
