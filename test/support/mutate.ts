/**
 * Ways to damage PDFs. Some change a draft, which is then written with correct offsets and lengths. Others change the
 * bytes of a file.
 */
import fc from "fast-check";
import { encode } from "./bytes.ts";
import { CHANGES } from "./changes.ts";
import { type Draft, written } from "./draft.ts";
import { DIGITS, PIECES } from "./hostileWords.ts";

/**
 * A way to damage the bytes of a file. Positions are fractions of the file's length, so that they apply to any file.
 */
type Mutation =
  | { kind: "flip"; at: number; byte: number }
  | { kind: "cut"; at: number; length: number }
  | { kind: "repeat"; at: number; length: number; to: number }
  | { kind: "insert"; at: number; text: string }
  | { kind: "number"; at: number; text: string }
  | { kind: "truncate"; at: number };

/** A change of a draft: its name in `CHANGES`, and its three fractions. */
interface Change {
  kind: string;
  a: number;
  b: number;
  c: number;
}

/** A damaged file, with the name of the undamaged file and the list of damages. */
export interface Damaged {
  seed: string;
  changes: Change[];
  mutations: Mutation[];
  bytes: Uint8Array;
}

/**
 * Generates a fraction from 0 to less than 1. `fc.double` would mostly generate numbers near 0, because most
 * floating-point numbers are small.
 */
const share = fc.noBias(fc.nat(2 ** 30 - 1)).map((value) => value / 2 ** 30);
const span = fc.integer({ min: 1, max: 200 });

const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.record({ kind: fc.constant("flip" as const), at: share, byte: fc.integer({ min: 0, max: 255 }) }),
  fc.record({ kind: fc.constant("cut" as const), at: share, length: span }),
  fc.record({ kind: fc.constant("repeat" as const), at: share, length: span, to: share }),
  fc.record({ kind: fc.constant("insert" as const), at: share, text: fc.constantFrom(...PIECES) }),
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("number" as const), at: share, text: fc.constantFrom(...DIGITS) }),
  },
  fc.record({ kind: fc.constant("truncate" as const), at: share.map((at) => (1 + at) / 2) }),
);
const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom(...Object.keys(CHANGES)),
  a: share,
  b: share,
  c: share,
});

/** Generates files with one to eight damages, some to the structure of a draft and some to the bytes. */
export function damaged(drafts: Readonly<Record<string, Draft>>): fc.Arbitrary<Damaged> {
  const changes = (minLength: number) => fc.array(change, { minLength, maxLength: 5 });
  const mutations = (minLength: number) => fc.array(mutation, { minLength, maxLength: 3 });
  const none = fc.constant<never[]>([]);
  const damage = fc.oneof(
    { weight: 6, arbitrary: fc.tuple(changes(1), none) },
    { weight: 1, arbitrary: fc.tuple(none, mutations(1)) },
    { weight: 2, arbitrary: fc.tuple(changes(1), mutations(1)) },
  );
  return fc.tuple(fc.constantFrom(...Object.keys(drafts)), damage).map(([seed, [changes, mutations]]) => {
    const draft = changes.reduce((before, { kind, a, b, c }) => CHANGES[kind]!(before, a, b, c), drafts[seed]!);
    return { seed, changes, mutations, bytes: mutations.reduce<Uint8Array>(mutate, written(draft)) };
  });
}

function mutate(bytes: Uint8Array, change: Mutation): Uint8Array {
  const at = Math.floor(change.at * bytes.length);
  switch (change.kind) {
    case "flip":
      return at < bytes.length ? bytes.with(at, change.byte) : bytes;
    case "cut":
      return concat(bytes.subarray(0, at), bytes.subarray(at + change.length));
    case "repeat": {
      const to = Math.floor(change.to * bytes.length);
      return concat(bytes.subarray(0, to), bytes.subarray(at, at + change.length), bytes.subarray(to));
    }
    case "insert":
      return concat(bytes.subarray(0, at), encode(change.text), bytes.subarray(at));
    case "number":
      return replaceNumber(bytes, at, encode(change.text));
    case "truncate":
      return bytes.subarray(0, at);
  }
}

/** Replaces the next decimal number at or after the offset `at`. */
function replaceNumber(bytes: Uint8Array, at: number, text: Uint8Array): Uint8Array {
  const digit = (index: number) => bytes[index]! >= 0x30 && bytes[index]! <= 0x39;
  let start = at;
  while (start < bytes.length && !digit(start)) start++;
  let end = start;
  while (end < bytes.length && digit(end)) end++;
  return concat(bytes.subarray(0, start), text, bytes.subarray(end));
}

function concat(...parts: Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
