import fc from "fast-check";
import { TEXT_SAMPLES } from "../../scripts/lib/textSamples.ts";
import { DEFAULTS, EDGES, IMAGE_POSITIONS, POSITIONS, TEMPLATES, type TemplateName } from "../../src/engine/index.ts";
import type { FieldValue } from "../../src/service/request/fieldKinds.ts";

/** Fields of a request, with values of the types that the playground's controls produce. */
export type Fields = Record<string, FieldValue>;

/** Returns a generator of numbers with at most two decimals. */
const decimals = (min: number, max: number) =>
  fc.integer({ min: min * 100, max: max * 100 }).map((value) => value / 100);
const shared = {
  opacity: decimals(0, 1),
  rotation: fc.integer({ min: -360, max: 360 }),
  margin: fc.integer({ min: 0, max: 200 }),
};
const text = fc.record(
  {
    ...shared,
    text: fc.constantFrom(...Object.values(TEXT_SAMPLES), "{page} of {pages}\nDRAFT"),
    template: fc.constantFrom(...Object.keys(TEMPLATES)),
    position: fc.constantFrom(...POSITIONS),
    lang: fc.constantFrom("ja", "zh-Hant", "ur", "sr"),
    font: fc.constantFrom("sans", "serif"),
    color: fc.constantFrom("#FF0000", "#404040", "#00a3dd"),
    font_size: decimals(4, 200),
  },
  { requiredKeys: ["text"] },
);
const image = fc.record(
  {
    ...shared,
    position: fc.constantFrom(...IMAGE_POSITIONS),
    scale: decimals(0.01, 1),
    edge: fc.constantFrom(...EDGES),
  },
  { requiredKeys: [] },
);

/** Returns whether the service accepts the position with the template, as `withPlaceCheck` decides. */
function isAccepted({ template = DEFAULTS.template, position }: Fields): boolean {
  return position !== "auto" || !TEMPLATES[template as TemplateName].fixed;
}

/** Returns `count` pseudo-random settings of an operation. Every call returns the same settings. */
export function randomSettings(operation: "text" | "image", count: number): Fields[] {
  return fc.sample<Fields>({ text: text.filter(isAccepted), image }[operation], { numRuns: count, seed: 402 });
}
