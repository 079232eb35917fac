import { expect, test } from "vitest";
import { jsonSchema } from "../../../src/service/request/jsonSchema.ts";
import { imageRequest, textRequest } from "../../../src/service/request/schemas.ts";

const SLIPS = ["bottom center", "BottomCenter", "botom-center", "lower left", "lower right", "upper middle", "tilled"];

test.each([
  ["text", textRequest()],
  ["image", imageRequest()],
])("the error for a misspelled position suggests a valid position of the operation: %s", (_, request) => {
  const { position } = request.shape;
  const { enum: listed } = jsonSchema(request, { io: "input" }).properties!.position as { enum: string[] };
  for (const slip of SLIPS) {
    const [issue] = position.safeParse(slip).error?.issues ?? [];
    const [, suggested] = /^is not known\. Did you mean (.*)\?$/.exec(issue?.message ?? "") ?? [];
    expect([slip, listed]).toEqual([slip, expect.arrayContaining([suggested])]);
  }
});
