/** Tests the checks of the package `@overprint/engine` on the arguments of programs without types. */
import { expect, test } from "vitest";
import { checkOptions, checkSource } from "../../packages/engine/checkArguments.ts";
import { BOUNDS, type ImageMark, type TextMark } from "../../src/engine/index.ts";

const IMAGE = { image: new Uint8Array(1) };
const TEXT = { text: "DRAFT" };
const check = (mark: unknown, options: object = {}) => checkOptions(mark as TextMark | ImageMark, options);

test("the engine package accepts every option at its limits, and undefined options", () => {
  for (const at of [0, 1] as const) {
    const shared = {
      ...{ opacity: BOUNDS.opacity[at], rotation: BOUNDS.rotation[at], marginPt: BOUNDS.marginPt[at] },
      ...{ offsetXPt: BOUNDS.offsetPt[at], offsetYPt: BOUNDS.offsetPt[at], tileGap: BOUNDS.tileGap[at] },
      ...{ layer: "under", box: "trim", position: undefined },
    };
    check({ ...TEXT, ...shared, pageStart: BOUNDS.pageStart[at], fontSizePt: 2000, color: "#Cc0000", lang: "ja" });
    check({ ...IMAGE, ...shared, scale: 1, edge: "none" });
  }
  check(TEXT, {
    password: "x",
    filename: "a.pdf",
    maxPages: Number.POSITIVE_INFINITY,
    date: new Date(),
    thorough: true,
  });
});

test.each<[string, object]>([
  ["`opacity` must be a number from 0 to 1.", { opacity: 50 }],
  ["`opacity` must be a number from 0 to 1.", { opacity: -1 }],
  ["`opacity` must be a number from 0 to 1.", { opacity: Number.NaN }],
  ["`opacity` must be a number from 0 to 1.", { opacity: "0.5" }],
  ["`opacity` must be a number from 0 to 1.", { opacity: null }],
  ["`rotation` must be a number from -360 to 360.", { rotation: Number.NaN }],
  ["`fontSizePt` must be a number above 0 and at most 2000.", { fontSizePt: 0 }],
  ["`tileGap` must be a number from 0 to 10.", { tileGap: -1 }],
  ["`pageStart` must be a whole number from 0 to 999999999.", { pageStart: 1.5 }],
  ["`pageStart` must be a whole number from 0 to 999999999.", { pageStart: 1e21 }],
  ["`color` must be a color such as #cc0000.", { color: "red" }],
  ["`color` must be a color such as #cc0000.", { color: "#f00" }],
  ["`template` must be one of diagonal,", { template: "foo" }],
  ["`template` must be one of diagonal,", { template: "toString" }],
  ["`position` must be one of", { position: "foo" }],
  ["`text` must be a string.", { text: undefined }],
  ["`fontSize` is not an option of a text mark.", { fontSize: 12 }],
  ["`scale` is not an option of a text mark.", { scale: 1 }],
])("the engine package rejects a text mark: %s", (message, options) => {
  expect(() => check({ ...TEXT, ...options })).toThrow(message);
  expect(() => check({ ...TEXT, ...options })).toThrow(TypeError);
});

test.each<[string, object]>([
  ["`scale` must be a number above 0 and at most 1.", { scale: 0 }],
  ["`image` must be the bytes of the file, as a Uint8Array.", { image: new ArrayBuffer(8) }],
  ["`image` must be the bytes of the file, as a Uint8Array.", { image: undefined }],
  ["`edge` must be one of auto, none.", { edge: "white" }],
])("the engine package rejects an image mark: %s", (message, options) => {
  expect(() => check({ ...IMAGE, ...options })).toThrow(message);
});

test.each<[string, unknown, object]>([
  ["`mark` must have `text` or `image`.", {}, {}],
  ["`mark` must have `text` or `image`.", undefined, {}],
  ["`date` must be a valid Date.", TEXT, { date: new Date("x") }],
  ["`loadFont` must be a function.", TEXT, { loadFont: "fonts/" }],
  ["`maxPages` must be a number from 0.", TEXT, { maxPages: "5" }],
  ["`passwort` is not an option of this function.", TEXT, { passwort: "x" }],
])("the engine package rejects a call: %s", (message, mark, options) => {
  expect(() => check(mark, options)).toThrow(message);
});

test.each<[string, unknown]>([
  ["an ArrayBuffer", new ArrayBuffer(8)],
  ["a Blob", new Blob(["%PDF-"])],
  ["a promise", Promise.resolve(new Uint8Array(8))],
  ["a path", "contract.pdf"],
  ["nothing", undefined],
])("the engine package rejects %s as the source", (_, source) => {
  expect(() => checkSource(source as Uint8Array)).toThrow("`source` must be the bytes of the file, as a Uint8Array.");
});

test("the engine package accepts bytes and readers as the source", () => {
  const stream = async function* () {};
  for (const source of [new Uint8Array(8), Buffer.alloc(8), { length: 1, read: async () => new Uint8Array(1), stream }])
    checkSource(source);
});
