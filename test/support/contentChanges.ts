/** Changes that damage the content of pages: operators, operands, and the division into streams. */
import type { Draft } from "./draft.ts";
import { type Change, pick, replaced, someNumber } from "./draftEdits.ts";

/**
 * Operators with missing, superfluous, wrong or huge operands, and operators that open something without closing it.
 */
const OPERATIONS = [
  ..."re|l|m|36 Tf|/F1 Tf|1 rg|1 0 0 0 0 0 rg|(x) w|/A cm|99999999999 0 0 99999999999 0 0 cm|<< /A 1 >> d".split("|"),
  ..."q|Q|q q q|Q Q Q|BT|ET|BT BT|EMC|/T BMC|/OC /X BDC|BX|EX|W n|0 0 0 0 re W n|10 10 m|foo|Do|/None Do|gs|/None gs".split(
    "|",
  ),
  ..."(a|<41|[1 2|<< /A|]|>>|)|%|/|1e9 w|--5 w|1.2.3 w|+ w|true w|null null m|BI|BI /W 9 /H 9 /BPC 8 /CS /G ID |EI|ID".split(
    "|",
  ),
  ...'/Pattern cs /None scn|/None cs 1 sc|sh|/None sh|3 Tr|0 Tz|1 1 (x) "|[(x) 1e9] TJ|endstream|endobj'.split("|"),
];
const REPETITIONS = [1, 1, 1, 3, 12, 40, 150] as const;
const CONTENTS = /\/Contents (\d+) 0 R/;

/** Returns the draft with one content stream changed. `share`, a fraction from 0 to 1, selects the stream. */
function content(draft: Draft, share: number, change: (content: string) => string): Draft {
  const streams = draft.parts.flatMap(({ data, text }, index) =>
    data !== undefined && !/\/Type \/(Metadata|EmbeddedFile)|\/N 3/.test(text) ? [index] : [],
  );
  const index = pick(streams, share);
  const stream = index === undefined ? undefined : draft.parts[index];
  return index === undefined || !stream ? draft : replaced(draft, index, { ...stream, data: change(stream.data!) });
}

/** Returns the offset of the token at the fraction `share` of the content. */
const tokenAt = (content: string, share: number) => content.indexOf(" ", Math.floor(share * content.length)) + 1;

/** Changes that damage page content, by name. */
export const CONTENT_CHANGES: Record<string, Change> = {
  operation: (draft, a, b, c) =>
    content(draft, a, (before) => {
      const at = tokenAt(before, (c * 97) % 1);
      const operation = `${pick(OPERATIONS, b)} `.repeat(pick(REPETITIONS, c));
      return `${before.slice(0, at)}${operation}${before.slice(at)}`;
    }),
  lastOperation: (draft, a, b, c) =>
    content(draft, a, (before) => `${before} ${Array(pick(REPETITIONS, c)).fill(pick(OPERATIONS, b)).join(" ")}`),
  dropToken: (draft, a, b) =>
    content(draft, a, (before) => {
      const at = tokenAt(before, b);
      return before.slice(0, at) + before.slice(at).replace(/^\S+/, "");
    }),
  repeatToken: (draft, a, b, c) =>
    content(draft, a, (before) => {
      const at = tokenAt(before, b);
      return before.slice(0, at) + before.slice(at).replace(/^\S+/, (word) => `${word} `.repeat(pick(REPETITIONS, c)));
    }),
  truncateContent: (draft, a, b) => content(draft, a, (before) => before.slice(0, Math.floor(b * before.length))),
  splitContent: (draft, a, b) => {
    const index = draft.parts.findIndex(({ text }) => CONTENTS.test(text));
    const page = draft.parts[index];
    const num = Number(page && CONTENTS.exec(page.text)?.[1]);
    const at = draft.parts.findIndex((each) => each.num === num && each.data !== undefined);
    const stream = draft.parts[at];
    if (!page || !stream) return draft;
    const middle = Math.floor(b * stream.data!.length);
    const rest = { ...stream, num: someNumber(draft, 0.999_999), data: stream.data!.slice(middle) };
    const order = a < 0.9 ? `[${num} 0 R ${rest.num} 0 R]` : `[${rest.num} 0 R ${num} 0 R]`;
    const divided = replaced(draft, at, { ...stream, data: stream.data!.slice(0, middle) }, rest);
    const where = divided.parts.indexOf(page);
    return replaced(divided, where, { ...page, text: page.text.replace(CONTENTS, `/Contents ${order}`) });
  },
};
