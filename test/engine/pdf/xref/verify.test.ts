/** Tests how cross-reference entries are checked against the file, in memory and in byte ranges. */
import { describe, expect, it } from "vitest";
import { PlanOutdated } from "../../../../src/engine/index.ts";
import { RangeSource } from "../../../../src/engine/pdf/source/byteSource.ts";
import { joined } from "../../../support/bytes.ts";
import { readerBy } from "../../../support/ranges.ts";
import { FileBuilder, latin1, onePage, plan, stamp } from "../fixture.ts";

const FORM = { dict: "/Type/XObject/Subtype/Form/BBox[0 0 300 400]", data: "1 0 0 rg 0 0 90 90 re f" };
const SHOWN = "/MediaBox[0 0 300 400]/Contents 4 0 R/Resources<</XObject<</F 6 0 R>>>>";
const withForm = () => new FileBuilder().objects(onePage(SHOWN, { 4: { data: "/F Do" }, 6: FORM, 7: "(not used)" }));

/**
 * Marks a file that is read in byte ranges, and returns the output. If the first plan is outdated, plans again with the
 * option `thorough`.
 */
async function byRanges(source: Uint8Array): Promise<string> {
  const ranges = () => new RangeSource(readerBy(source.length, async (start, end) => source.slice(start, end)));
  const output = await joined((await plan(ranges())).chunks()).catch(async (error: unknown) => {
    if (!(error instanceof PlanOutdated)) throw error;
    return joined((await plan(ranges(), { thorough: true })).chunks());
  });
  return latin1(output);
}

/** Returns a file with a wrong cross-reference table: the entry of the form points to the last occurrence of `word`. */
function formAt(word: string): Uint8Array {
  const builder = withForm();
  const offset = (at: number) => `${String(at).padStart(10, "0")} 00000 n`;
  const right = offset(builder.offsets.get(6)!);
  const { text } = builder.table();
  return new FileBuilder(text.replace(right, offset(text.lastIndexOf(word)))).bytes();
}

/**
 * Returns a file with a wrong cross-reference stream, which does not list itself. The entry of the form points to this
 * stream.
 */
function formAtStream(): Uint8Array {
  const builder = withForm();
  builder.offsets.set(6, builder.text.length);
  return builder.xrefStream(8, [], "/Root 1 0 R/Index[0 5 6 2]", [8, 1, 2, 3, 4, 6, 7]).bytes();
}

/**
 * Returns a file with two cross-reference sections. In the newer section, the entry of the form wrongly points to the
 * older section.
 */
function formAtOlder(): Uint8Array {
  const builder = withForm().table();
  const older = builder.text.lastIndexOf("xref\n0 1");
  builder.offsets.set(6, older);
  return builder
    .objects({ 9: "null" })
    .table({ numbers: [6, 9], trailer: `/Root 1 0 R/Prev ${older}` })
    .bytes();
}

describe("an entry that points to a cross-reference section", () => {
  it.each([
    ["the table", formAt("xref\n0 1")],
    ["the trailer", formAt("trailer")],
    ["startxref", formAt("startxref")],
    ["the cross-reference stream", formAtStream()],
    ["an older table", formAtOlder()],
  ])("finds an object although its cross-reference entry points to %s", async (_, source) => {
    const output = await byRanges(source);
    expect(output).toBe(latin1(await stamp(source)));
    expect(output).toMatch(/6 0 obj\n<<\/Type\/XObject/);
  });
});

it("reads the generation of a cross-reference stream from the stream's object header", async () => {
  const { text } = withForm().xrefStream(8);
  const source = new FileBuilder(text.replace("8 0 obj", "8 3 obj")).bytes();
  expect(await byRanges(source)).toBe(latin1(await stamp(source)));
});

describe("white space before an object", () => {
  const header = (text: string) => {
    const builder = new FileBuilder().objects(onePage(SHOWN, { 4: { data: "/F Do" } }));
    builder.offsets.set(6, builder.text.length);
    builder.text += `${text}\n<<${FORM.dict}/Length ${FORM.data.length}>>\nstream\n${FORM.data}\nendstream\nendobj\n`;
    return builder.objects({ 7: "(not used)" }).table().bytes();
  };
  it.each([
    ["a blank", header(" 6 0 obj")],
    ["the longest white space that an object header may have", header(`${" ".repeat(57)}6 0 obj`)],
    ["more white space than an object header may have", header(`${" ".repeat(58)}6 0 obj`)],
    ["much white space", header(`${"\n".repeat(5000)}6 0 obj`)],
    ["a long comment", header(`%${"c".repeat(5000)}\n6 0 obj`)],
    ["a header with much white space between number and generation", header(`6${" ".repeat(100)}0 obj`)],
  ])("finds an object whose cross-reference entry points to %s", async (_, source) => {
    const output = await byRanges(source);
    expect(output).toBe(latin1(await stamp(source)));
    expect(output).toMatch(/6\s+0 obj\n<<\/Type\/XObject/);
  });
});
