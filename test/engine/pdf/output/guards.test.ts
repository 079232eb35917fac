import { inflateSync } from "node:zlib";
import { expect, it } from "vitest";
import { guardsFor } from "../../../../src/engine/pdf/output/guards.ts";
import { latin1 } from "../fixture.ts";

const guards = guardsFor(undefined);
const closing = latin1(inflateSync(guards.closing.data));
/** Matches the operators, dictionary and data of the inline image that the output adds after a page's content. */
const IMAGE = / BMC\nBI(.*?)ID (.*)\nEI /;

it.each([
  ["a file that is not PDF/A", undefined],
  ["PDF/A-1", 1],
  ["PDF/A-2", 2],
  ["PDF/A-3", 3],
  ["PDF/A-4", 4],
] as const)("the operators that the output adds around a page's content are balanced and legal in %s", (_, part) => {
  const { opening, closing, ending } = guardsFor(part === undefined ? undefined : { part, intent: 3 });
  const [before, between] = [opening, closing].map(({ data }) => latin1(inflateSync(data)));
  const operators = `${before} 0 g${between}${ending}`
    .replace(/%.*/g, "")
    .replace(IMAGE, " BMC EI ")
    .split(/\s+/)
    .filter((token) => /^[A-Za-z]/.test(token));
  const count = (operator: string) => operators.filter((each) => each === operator).length;
  expect(new Set(operators)).toEqual(new Set(["BMC", "q", "g", "cm", "EI", "Q", "EMC", "n", "BT", "ET"]));
  expect(count("Q")).toBe(count("q"));
  expect(count("EMC")).toBe(count("BMC"));
  expect(count("q") <= 28).toBe(part !== undefined && part <= 3);
});

it("the inline image that the output adds after a page's content is transparent", () => {
  const [, dictionary, data] = IMAGE.exec(closing)!;
  expect(dictionary).toMatch(new RegExp(`/W 1/H ${data!.length}/IM true/BPC 1/D\\[1 0\\]`));
  expect(Array.from(data!, (sample) => sample.charCodeAt(0) >> 7)).toEqual(Array(data!.length).fill(0));
});

it("the comments that the output adds after a page's content are longer than the longest inline image", () => {
  expect(closing.indexOf("BI/W")).toBeGreaterThan(4096);
});

it.each([
  ["a file that is not PDF/A", undefined, "0 g"],
  ["PDF/A with an output intent", { part: 2, intent: 3 }, "0 g"],
  ["PDF/A without an output intent", { part: 2, intent: undefined }, "q"],
] as const)("the operators that the output adds before the page content of %s (%o) end with %s", (_, pdfa, last) => {
  expect(
    latin1(inflateSync(guardsFor(pdfa).opening.data))
      .trimEnd()
      .endsWith(last),
  ).toBe(true);
});
