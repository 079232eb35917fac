import { inflateSync } from "node:zlib";
import { expect, it } from "vitest";
import { GUARDS } from "../../../src/engine/pdf/guards.ts";
import { latin1 } from "./fixture.ts";

const { opening, ending } = GUARDS;
const closing = latin1(inflateSync(GUARDS.closing));
/** Around sound content, without comments, the image's data, and operands. */
const IMAGE = / BMC\nBI(.*?)ID (.*)\nEI /;
const operators = `${opening}0 g${closing}${ending}`
  .replace(/%.*/g, "")
  .replace(IMAGE, " BMC EI ")
  .split(/\s+/)
  .filter((token) => /^[A-Za-z]/.test(token));
const count = (operator: string) => operators.filter((each) => each === operator).length;

it("guards are legal operators, all balanced", () => {
  expect(new Set(operators)).toEqual(new Set(["BMC", "q", "g", "cm", "EI", "Q", "EMC", "n", "BT", "ET"]));
  expect(count("Q")).toBe(count("q"));
  expect(count("EMC")).toBe(count("BMC"));
});

it("the guards' image masks out all samples, one of eight bits a row, under any bit that is 0", () => {
  const [, dictionary, data] = IMAGE.exec(closing)!;
  expect(dictionary).toMatch(new RegExp(`/W 1/H ${data!.length}/IM true/BPC 1/D\\[1 0\\]`));
  expect(Array.from(data!, (sample) => sample.charCodeAt(0) >> 7)).toEqual(Array(data!.length).fill(0));
});

it("the guards' comments are longer than an inline image may be", () => {
  expect(closing.indexOf("BI/W")).toBeGreaterThan(4096);
});
