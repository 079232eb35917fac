/** Tests how brackets in malformed dictionaries are balanced, and how much work this takes. */
import { describe, expect, it } from "vitest";
import { MemorySource } from "../../../../src/engine/pdf/source/byteSource.ts";
import { balanceBrackets } from "../../../../src/engine/pdf/syntax/brackets.ts";
import { countedBytes } from "../../../support/countedBytes.ts";
import { FileBuilder, latin1, plan } from "../fixture.ts";

const encode = (text: string) => new Uint8Array(Buffer.from(`${text} endobj `, "latin1"));

describe("balanceBrackets", () => {
  it.each([
    ["<</A[1 2/B 3>>", "<< /A [ 1 2 /B 3 ] >> "],
    ["<</A<0a F>/B[", "<< /A <0a F> /B [ ] >> "],
    ["<</A<0g>/B 1>>", "<< /A 0g /B 1 >> "],
    ["<</A < < <12", "<< /A 12 >> "],
  ])("balances the brackets of %s", (text, expected) => {
    expect(latin1(balanceBrackets(encode(text), 0).text)).toBe(expected);
  });

  it.each(["< ", "<1 ", "<<", "[", "]", "> ", "(", "% ", "/A<"])(
    "balancing the brackets reads each byte only a few times if a dictionary has many %s",
    (text) => {
      const { bytes, reads } = countedBytes(encode(`<</A ${text.repeat(2000)}`));
      balanceBrackets(bytes, 0);
      expect(reads() / bytes.length).toBeLessThan(20);
    },
  );
});

it("the engine reads no more of an unbalanced object-stream member than of an unbalanced object in the file", async () => {
  const builder = new FileBuilder().objects({ 4: { data: "0 g" } });
  const members = builder.objectStream(5, {
    1: "<</Type/Catalog/Pages 2 0 R>>",
    2: "<</Type/Pages/Kids[3 0 R]>>",
    3: `<</Type/Page/Contents 4 0 R/A[${"1 ".repeat(1 << 17)}`,
  });
  const source = new MemorySource(builder.xrefStream(6, members).bytes());
  await plan(source, {}, ({ pages }) => expect(pages[0]!.rewrite.text.length).toBeLessThan(100_000));
});
