/** Tests which parts of malformed content are replaced, because they affect the page even from within a form. */
import { expect, test } from "vitest";
import { contain } from "../../../../src/engine/pdf/content/containment.ts";
import { encode } from "../../../support/bytes.ts";
import { latin1 } from "../fixture.ts";

/** Returns the content after the replacements, or undefined if nothing was replaced. */
function contained(content: string): string | undefined {
  const bytes = encode(`${content}\n`);
  return contain(bytes) ? latin1(bytes.subarray(0, -1)) : undefined;
}

test.each([
  ["7 ID 9 0 0 9 re f", "7 EX 9 0 0 9 re f"],
  ["7ID f", "7EX f"],
  ["ID ID\nID", "EX EX\nEX"],
  ["9 0 0 0 9 9 d1 f", "9 0 0 0 9 9 EX f"],
  ["(ID) /ID % ID\n<1D> ID", "(ID) /ID % ID\n<1D> EX"],
  ["[BI /W 1 ID x EI] 0 d", "[EX /W 1 EX x EI] 0 d"],
  ["qBI /W 1 ID x EI", "qEX /W 1 EX x EI"],
  ["BI /W 1 /H 1 /BPC 8 /CS /G ID x EI ID", "BI /W 1 /H 1 /BPC 8 /CS /G ID x EI EX"],
  ["BI /F /Fl ID xEI ID", "BI /F /Fl ID xEI EX"],
  ["BI /F /Fl ID x EI \x01 ID\nEI ID", "BI /F /Fl ID x EI \x01 ID\nEI EX"],
  ["BI /W 9/H 9/BPC 8/CS/G/F/AHx ID 4D EI 61>EI ID", "BI /W 9/H 9/BPC 8/CS/G/F/AHx ID 4D EI 61>EI EX"],
])("contain replaces an operator that ends more than a form: %j becomes %j", (content, replaced) => {
  expect(contained(content)).toBe(replaced);
});

test.each([
  ["/F0 <</A 1>> Tf", "/F0 ()       Tf"],
  ["/F0<<>>Tf", "/F0()  Tf"],
  ["[<</A 1>>] TJ", "[()      ] TJ"],
  ["[[(a)] <</A [1]>>] TJ", "[[(a)] ()        ] TJ"],
  ["/T [<<>>] BDC", "/T [()  ] BDC"],
  ["/T <<>> 7 BDC", "/T ()   7 BDC"],
  ["/T <</A/B>> BMC", "/T ()       BMC"],
  ["/T <</A>> BDC", "/T ()     BDC"],
  ["/T <</A 1 ID 1>> BDC ID", "/T ()            BDC EX"],
  ["] /T <<>> <<>> DP", "] /T ()   <<>> DP"],
  ["/T <</A (>> w", "/T ()        "],
  ["<</A <</B 1>> w", "()             "],
])("contain replaces a dictionary as an operand: %j becomes %j", (content, replaced) => {
  expect(contained(content)).toBe(replaced);
});

test.each([
  "/T <</MCID 0>> BDC q /F0 9 Tf EMC /T <</A [<</B 1>>]>>DP",
  "BI /W 1 /H 1 /BPC 8 /CS /G ID < EI",
  "BI /W 1 /H 1 /DP <</K 0>> /F /CCF ID <<ID>> EI Q",
  "BI /W 9 /H 9 ID (",
  "(a [1 <4",
  "/T <</MCID 0",
  "",
])("contain retains content that a form contains: %j", (content) => {
  expect(contained(content)).toBeUndefined();
});
