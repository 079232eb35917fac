/** Changes that damage page trees: their kids, nodes, inherited attributes and page dictionaries. */
import type { Draft } from "./draft.ts";
import { type Change, pick, replaced, someNumber, text, textOf, token } from "./draftEdits.ts";

const KIDS = /\/Kids \[([^[\]]*)\]/;
const REFERENCE = /\d+ \d+ R/g;
/** Attributes that pages can inherit, and attributes that seem inheritable but are not. */
const ATTRIBUTES = [
  "/MediaBox [0 0 300 400]",
  "/MediaBox [0 0 200 200]",
  "/CropBox [0 0 50 50]",
  "/Rotate 90",
  "/Resources << >>",
  "/Resources << /Font << >> >>",
  "/Contents 5 0 R",
  "/UserUnit 2",
];
/** Malformed objects that no reader can read as a page. */
const UNREADABLE = [
  "]<< /Type /Page >>",
  "<< /Type /Page /A <",
  "8< /Type /Page >>",
  "<< /Type /Page",
  "(/Type /Page",
  "",
];

/** Returns the draft with one /Kids array changed. The fraction `share` selects the array. */
function kids(draft: Draft, share: number, change: (kids: string[]) => string[]): Draft {
  const holders = draft.parts.flatMap((each, index) => (KIDS.test(each.text) ? [index] : []));
  const index = pick(holders, share);
  const holder = index === undefined ? undefined : draft.parts[index];
  if (index === undefined || !holder) return text(draft, share, (before) => changedKids(before, change));
  return replaced(draft, index, { ...holder, text: changedKids(holder.text, change) });
}

function changedKids(before: string, change: (kids: string[]) => string[]): string {
  return before.replace(KIDS, (whole, list: string) => {
    const references = list.match(REFERENCE);
    return references ? `/Kids [${change(references).join(" ")}]` : whole;
  });
}

/** Returns the draft with a new object, and the new object's number. */
function withObject(draft: Draft, body: string): [Draft, number] {
  const num = someNumber(draft, 0.999_999);
  const [first, ...rest] = draft.parts;
  return [{ ...draft, parts: [...(first ? [first] : []), { num, text: body }, ...rest] }, num];
}

/** Changes that damage page trees, by name. */
export const TREE_CHANGES: Record<string, Change> = {
  listAgain: (draft, a, b, c) =>
    kids(draft, a, (list) => list.toSpliced(Math.floor(c * (list.length + 1)), 0, pick(list, b)!)),
  listOther: (draft, a, b, c) =>
    kids(draft, a, (list) => list.toSpliced(Math.floor(c * (list.length + 1)), 0, `${someNumber(draft, b)} 0 R`)),
  dropKid: (draft, a, b) => kids(draft, a, (list) => list.toSpliced(Math.floor(b * list.length), 1)),
  reverseKids: (draft, a) => kids(draft, a, (list) => list.toReversed()),
  inlineKid: (draft, a, b) =>
    kids(draft, a, (list) =>
      list.map((kid) => (kid === pick(list, b) ? (textOf(draft, Number.parseInt(kid, 10)) ?? kid) : kid)),
    ),
  inlineNode: (draft, a, b, c) =>
    kids(draft, a, (list) =>
      list.map((kid) =>
        kid === pick(list, b) ? `<< /Type /Pages /Count 1 /Kids [${kid}] ${pick(ATTRIBUTES, c)} >>` : kid,
      ),
    ),
  insertNode: (draft, a, b, c) => {
    const [changed, num] = withObject(draft, "");
    let kid: string | undefined;
    const listed = kids(changed, a, (list) => {
      kid = pick(list, b);
      return list.map((each) => (each === kid ? `${num} 0 R` : each));
    });
    const body = `<< /Type /Pages /Count 1 /Kids [${kid ?? ""}] ${pick(ATTRIBUTES, c)} >>`;
    return { ...listed, parts: listed.parts.map((each) => (each.num === num ? { ...each, text: body } : each)) };
  },
  shareKids: (draft, a, b, c) => {
    const [changed, num] = withObject(draft, "null");
    let list = "[]";
    const shared = text(changed, a, (before) =>
      before.replace(KIDS, (whole) => {
        list = whole.slice("/Kids ".length);
        return `/Kids ${num} 0 R`;
      }),
    );
    const parts = shared.parts.map((each) => (each.num === num ? { ...each, text: list } : each));
    const again = `<< /Type /Pages /Count 1 /Kids ${num} 0 R ${pick(ATTRIBUTES, c)} >>`;
    const [twice, node] = withObject({ ...shared, parts }, again);
    return b < 0.5 ? { ...shared, parts } : kids(twice, a, (kidsOf) => [...kidsOf, `${node} 0 R`]);
  },
  attribute: (draft, a, b, c) => token(draft, a, b, /^<<$/, (word) => `${word} ${pick(ATTRIBUTES, c)} `),
  unreadable: (draft, a, b) => text(draft, a, (before) => (before.includes("/Page") ? pick(UNREADABLE, b) : before)),
};
