import { expect, it } from "vitest";
import { decodeLatin1, encodeLatin1 } from "../../src/engine/bytes.ts";

it.each([0, 1, 4095, 4096, 4097, 8193])("converts %s bytes to Latin-1 text and back without a change", (length) => {
  const bytes = Uint8Array.from({ length: length + 2 }, (_, index) => index * 7);
  expect(encodeLatin1(decodeLatin1(bytes, 1, length + 1))).toEqual(bytes.slice(1, length + 1));
});
