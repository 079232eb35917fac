import fc from "fast-check";

/** One way to damage a file. Places are shares of its length, so that they mean something for any file. */
type Mutation =
  | { kind: "flip"; at: number; byte: number }
  | { kind: "cut"; at: number; length: number }
  | { kind: "repeat"; at: number; length: number; to: number }
  | { kind: "insert"; at: number; text: string }
  | { kind: "number"; at: number; text: string }
  | { kind: "truncate"; at: number };

const place = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
const span = fc.integer({ min: 1, max: 200 });

/** What a parser trips over: openers that never close, huge and negative numbers, keywords where none belong. */
const HOSTILE = [
  "[[[[[[[[",
  "<<<<<<<<",
  "((((((((",
  "<",
  ">>",
  "]",
  ")",
  "%",
  "/",
  "\0",
  "\r",
  "endobj",
  "endstream",
  "stream\n",
  "xref\n",
  "trailer",
  "startxref\n0\n%%EOF\n",
  "obj",
  "R",
  "null",
  "1 0 R",
  "3 0 R",
  "/Kids [2 0 R]",
  "/Parent 3 0 R",
  "/Prev 0",
  "/Type /Pages",
  "/Type /ObjStm",
  "/Length 999999999",
  "/Contents null",
  "/Resources 2 0 R",
  "/Encrypt << /Filter /Standard >>",
  "/W [9 9 9]",
  "/N 99999999",
  "/Size 99999999999",
];
const NUMBERS = [
  "0",
  "-1",
  "1",
  "2",
  "3",
  "99",
  "65535",
  "65536",
  "2147483647",
  "4294967296",
  "99999999999999999999",
  "1e9",
  "-0",
  ".",
  "+-1",
];

const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.record({ kind: fc.constant("flip" as const), at: place, byte: fc.integer({ min: 0, max: 255 }) }),
  fc.record({ kind: fc.constant("cut" as const), at: place, length: span }),
  fc.record({ kind: fc.constant("repeat" as const), at: place, length: span, to: place }),
  fc.record({ kind: fc.constant("insert" as const), at: place, text: fc.constantFrom(...HOSTILE) }),
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("number" as const), at: place, text: fc.constantFrom(...NUMBERS) }),
  },
  fc.record({ kind: fc.constant("truncate" as const), at: fc.double({ min: 0.5, max: 1, noNaN: true }) }),
);

/** A file damaged in one to eight places. */
export function damaged(seeds: readonly Uint8Array[]): fc.Arbitrary<Uint8Array> {
  return fc
    .tuple(fc.constantFrom(...seeds), fc.array(mutation, { minLength: 1, maxLength: 8 }))
    .map(([seed, mutations]) => mutations.reduce(mutate, seed));
}

function mutate(bytes: Uint8Array, change: Mutation): Uint8Array {
  const at = Math.floor(change.at * bytes.length);
  switch (change.kind) {
    case "flip":
      return bytes.with(Math.min(at, bytes.length - 1), change.byte);
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
      return bytes.subarray(0, Math.max(1, at));
  }
}

/** Replaces the next decimal number at or after a place. */
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
  return whole.length > 0 ? whole : Uint8Array.of(0);
}

function encode(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}
