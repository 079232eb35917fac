import { expect, test } from "vitest";
import { EDGES, FONT_STYLES, FRAME_BOXES, LAYERS, POSITIONS, TEMPLATES } from "../../src/engine/index.ts";
import { choiceInWords, fieldInWords, valueInWords } from "../../src/site/fieldWords.ts";

test("`choiceInWords` returns a capitalized label of plain words for each value of a field with choices", () => {
  const choices = { position: POSITIONS, layer: LAYERS, font: FONT_STYLES, box: FRAME_BOXES, edge: EDGES };
  const words = Object.entries({ ...choices, template: Object.keys(TEMPLATES) }).flatMap(([field, names]) =>
    names.map((name) => choiceInWords(field, name)),
  );
  for (const one of words) expect(one).toMatch(/^[A-Z][a-z]+(?:-serif| [a-z]+)*$/);
  expect(words).not.toContain("Auto");
  expect(words).toContain("Top left");
});

test.each([
  ["text", "DRAFT", "DRAFT", "“DRAFT”"],
  ["template", "stamp", "Stamp", "stamp"],
  ["position", "top-left", "Top left", "position top left"],
  ["layer", "under", "Under the page", "layer under the page"],
  ["opacity", 0.55, "55 %", "opacity 55 %"],
  ["font_size", 24.5, "24.5 pt", "size 24.5 pt"],
  ["rotation", -30, "-30°", "rotation -30°"],
  ["color", "#CC0068", "#CC0068", "color #CC0068"],
])("the field %s with the value %j is described as %j, and as %j in a list", (field, value, alone, inList) => {
  expect(valueInWords(field, value)).toBe(alone);
  expect(fieldInWords(field, value)).toBe(inList);
});
