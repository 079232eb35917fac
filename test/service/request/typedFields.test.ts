import { describe, expect, test } from "vitest";
import * as z from "zod";
import { typedFields } from "../../../src/service/request/typedFields.ts";

const schema = z.object({
  text: z.string(),
  size: z.number().max(10).optional(),
  scale: z.number().default(1),
});

describe("a form's text", () => {
  test.each<[object, object]>([
    [
      { text: "12", size: "7", scale: " -.5 " },
      { text: "12", size: 7, scale: -0.5 },
    ],
    [
      { text: "1e1", size: "1e1", scale: "+5E-1" },
      { text: "1e1", size: 10, scale: 0.5 },
    ],
    [{ text: "A" }, { text: "A" }],
  ])("typedFields converts the form fields %j to the types in the schema: %j", (fields, typed) => {
    expect(typedFields(fields, schema)).toMatchObject(typed);
    expect(schema.safeParse(typedFields(fields, schema)).success).toBe(true);
  });

  // A regular expression with quadratic backtracking would take too long here.
  test.each(["1", "1.", " ", ".", "+"])(
    "typedFields quickly leaves a long text unconverted that is not a number: 500,000 times %j and an x",
    (digit) => {
      const size = `${digit.repeat(500_000)}x`;
      expect(typedFields({ text: "A", size }, schema)).toMatchObject({ size });
    },
  );

  test.each([
    { text: "A", size: "seven" },
    { text: "A", size: "" },
    { text: "A", size: "0x7" },
    { text: "A", size: "1e" },
  ])("typedFields leaves the invalid form fields %j unconverted, and the schema rejects them", (fields) => {
    expect(typedFields(fields, schema)).toMatchObject(fields);
    expect(schema.safeParse(typedFields(fields, schema)).success).toBe(false);
  });
});
