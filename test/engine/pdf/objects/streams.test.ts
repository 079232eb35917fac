import { expect, test } from "vitest";
import { FileBuilder, latin1, onePage, open } from "../fixture.ts";

test("an object stream without endstream ends before its endobj, even if another object follows", async () => {
  const data = "6 0 7 3 12 34";
  const builder = new FileBuilder().objects({
    ...onePage(),
    8: `<</Type/ObjStm/N 2/First 8/Length 99>>\nstream\n${data}`,
    9: "<</Of(an older revision)>>",
  });
  builder.offsets.delete(9);
  const { objects } = await open(builder.xrefStream(10, [[6, 8, 0]]).bytes());
  expect(latin1(objects.stream(8).bytes).trim()).toBe(data);
});
