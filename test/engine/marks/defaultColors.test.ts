/** Tests marks on pages whose resources map all device colors to white (ISO 32000-2, 8.6.5.6). */
import { expect, test } from "vitest";
import { planOutput } from "../../../src/engine/pdf/output/outputPlan.ts";
import { joined } from "../../support/bytes.ts";
import { MUPDF, PDFIUM } from "../../support/onlookers.ts";
import { CORNER } from "../../support/trialMarks.ts";
import { type Bodies, file, onePage, open } from "../pdf/fixture.ts";

const WHITE: Bodies = {
  8: "<</FunctionType 2/Domain[0 1]/N 1/C0[1]/C1[1]>>",
  9: { dict: "/FunctionType 4/Domain[0 1 0 1 0 1]/Range[0 1]", data: "{pop pop pop 1}" },
};
const SPACES = "/DefaultGray[/Separation/W/DeviceGray 8 0 R]/DefaultRGB[/DeviceN[/A/B/C]/DeviceGray 9 0 R]";

test.each<[string, Bodies]>([
  ["behind two references", { 6: "7 0 R", 7: `<<${SPACES}>>` }],
  ["in a dictionary that is not closed", { 6: `<<${SPACES}` }],
])("an image mark is visible on a page whose default color spaces are %s", async (_, more) => {
  const page = "/MediaBox[0 0 300 400]/Contents 4 0 R/Resources<</ColorSpace 6 0 R>>";
  const document = await open(file(onePage(page, { ...WHITE, ...more })));
  await CORNER.lay(document);
  const output = await joined((await planOutput(document)).chunks());
  expect([MUPDF, PDFIUM].map(({ look }) => look(output, CORNER))).toEqual([[true], [true]]);
});
