/**
 * Tests that the output retains the data of live streams, even if the data resemble objects or cross-references.
 * Superseded objects around the streams are erased.
 */
import { describe, expect, it } from "vitest";
import { PlanOutdated } from "../../../../src/engine/index.ts";
import { RangeSource } from "../../../../src/engine/pdf/source/byteSource.ts";
import { isEqual, joined } from "../../../support/bytes.ts";
import { readerBy } from "../../../support/ranges.ts";
import { type Bodies, FileBuilder, latin1, onePage, open, plan } from "../fixture.ts";

const OLD = "/MediaBox[0 0 300 400]/Contents 4 0 R/Old true";
const NEW = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]/Contents 4 0 R/New true>>";
/** A complete PDF with objects, streams, cross-reference sections and two revisions. */
const INNER = (() => {
  const builder = new FileBuilder().objects(onePage("/MediaBox[0 0 9 9]/Inner true")).table();
  const previous = /startxref\n(\d+)/.exec(builder.text)![1];
  builder.objects({ 3: "<</Type/Page/Inner true>>", 40: { data: "1 0 obj\n<<>>\nendobj" } });
  return builder.table({ numbers: [3, 40], trailer: `/Root 1 0 R/Prev ${previous}` }).text;
})();
/** `INNER` between long runs of other bytes. Each run is longer than the range that the engine searches. */
const LARGE = `${"x".repeat(70_000)}\n${INNER}\n${"y".repeat(70_000)}`;

/**
 * Returns the attachment as a stream. By default, its length is in object 10 after the data, as in files written by
 * qpdf.
 */
const attached = (data: string, length = "10 0 R") =>
  `<</Type/EmbeddedFile/Length ${length}>>\nstream\n${data}\nendstream`;
const withAttachment = (data: string): Bodies => ({ 9: attached(data), 10: String(data.length) });
const previousOf = ({ text }: FileBuilder) => [...text.matchAll(/startxref\n(\d+)/g)].at(-1)![1];

/**
 * Returns a file of two revisions. The first revision has an old page and the attachment. The second revision replaces
 * the page, and has a /Prev entry if `linked` is true.
 */
function revised(
  data: string,
  linked: boolean,
  first: Bodies = withAttachment(data),
  second: Bodies = {},
): FileBuilder {
  const builder = new FileBuilder().objects({ ...onePage(OLD), ...first }).table();
  const previous = previousOf(builder);
  builder.objects({ 3: NEW, ...second });
  const numbers = [3, ...Object.keys(second).map(Number)];
  return linked ? builder.table({ numbers, trailer: `/Root 1 0 R/Prev ${previous}` }) : builder.table();
}

function packedLength(data: string): FileBuilder {
  const { 1: catalog, 2: node, 3: page } = onePage(OLD) as Record<number, string>;
  const builder = new FileBuilder().objects({ 4: { data: "0 g" }, 9: attached(data) });
  const members = builder.objectStream(5, { 1: catalog!, 2: node!, 10: String(data.length) });
  builder.objects({ 3: page! }).xrefStream(6, members);
  return builder.objects({ 3: NEW }).xrefStream(7, members);
}

/**
 * Returns a file with an older cross-reference section whose entry for object 3 wrongly points to the text `inner` in
 * the attachment.
 */
function astray(data: string, inner: string): FileBuilder {
  const builder = new FileBuilder().objects({ ...onePage(OLD), ...withAttachment(data) });
  const offset = builder.offsets.get(3)!;
  builder.offsets.set(3, builder.text.indexOf(inner, builder.offsets.get(9)));
  builder.table();
  builder.offsets.set(3, offset);
  const previous = previousOf(builder);
  builder.objects({ 3: NEW });
  return builder.table({ trailer: `/Root 1 0 R/Prev ${previous}` });
}

/** Returns an attachment with the bytes `end` between its data and `endstream`. */
function attachedBefore(data: string, end: string): string {
  return attached(data, String(data.length)).replace(/\nendstream$/, () => `${end}endstream`);
}

/** Returns a file whose /Prev wrongly points to the cross-reference inside the attachment. */
function astraySection(data: string): FileBuilder {
  const builder = new FileBuilder().objects({ ...onePage(OLD), ...withAttachment(data) });
  const inner = builder.text.indexOf("xref\n", builder.offsets.get(9));
  return builder.objects({ 3: NEW }).table({ trailer: `/Root 1 0 R/Prev ${inner}` });
}

function unlisted(builder: FileBuilder): FileBuilder {
  const at = builder.text.lastIndexOf("startxref");
  builder.text = builder.text.slice(0, at) + builder.text.slice(at).replace(/\d+/, "1");
  return builder;
}

const FILES: Record<string, (data: string) => FileBuilder> = {
  "in a file of one revision": (data) => new FileBuilder().objects({ ...onePage(), ...withAttachment(data) }).table(),
  "before an update": (data) => revised(data, true),
  "before an update without /Prev": (data) => revised(data, false),
  "within an update": (data) => revised(data, true, {}, withAttachment(data)),
  "within an update without /Prev": (data) => revised(data, false, {}, withAttachment(data)),
  "replaced by an update": (data) => revised(data, true, { 9: attached(OLD), 10: "50" }, withAttachment(data)),
  "replaced by an update without /Prev": (data) =>
    revised(data, false, { 9: attached(OLD), 10: "50" }, withAttachment(data)),
  "with a direct length": (data) => revised(data, false, { 9: attached(data, String(data.length)) }),
  "with a direct length that has a sign": (data) => revised(data, false, { 9: attached(data, `+${data.length}`) }),
  "with an indirect length that has a sign": (data) =>
    revised(data, false, { 9: attached(data), 10: `+${data.length}` }),
  "with a length behind several references": (data) =>
    revised(data, false, { 9: attached(data), 10: "11 0 R", 11: "12 0 R", 12: String(data.length) }),
  "with white space behind it": (data) => revised(data, false, { 9: attachedBefore(data, " ".repeat(1000)) }),
  "with a comment behind it": (data) => revised(data, false, { 9: attachedBefore(data, "\n% its end\n") }),
  "with a length in an object stream": packedLength,
  "with a wrong offset of an older section in it": (data) => astray(data, "3 0 obj\n<<"),
  "with a wrong offset of an older section in one of its streams": (data) => astray(data, "1 0 obj\n<<>>"),
  "with its own section as an older section of the file": astraySection,
  "in a file that is scanned": (data) => unlisted(revised(data, true)),
  "in a file that is scanned, replaced by an update": (data) =>
    unlisted(revised(data, true, { 9: attached(OLD), 10: "50" }, withAttachment(data))),
  "with a decoy length, in a file that is scanned": (data) => unlisted(revised(`${data}\n10 0 obj\n12\nendobj`, true)),
};

describe.each(Object.entries(FILES))("an attached PDF %s", (how, build) => {
  it.each([
    ["small", INNER],
    ["large", LARGE],
    ["without ends of revisions", INNER.replaceAll("%%EOF", "")],
  ])(`retains every byte of an attached PDF ${how}: %s`, async (_size, data) => {
    const source = build(data).bytes();
    const ranges = () => new RangeSource(readerBy(source.length, async (start, end) => source.slice(start, end)));
    const outputs = await Promise.all([
      plan(source).then(({ chunks }) => joined(chunks())),
      plan(source, { thorough: true }).then(({ chunks }) => joined(chunks())),
      plan(ranges(), { thorough: true }).then(({ chunks }) => joined(chunks())),
      plan(ranges()).then(({ chunks }) =>
        joined(chunks()).catch((error) => (error instanceof PlanOutdated ? undefined : Promise.reject(error))),
      ),
    ]);
    // Without `thorough`, a plan from byte ranges mistakes the %%EOF markers inside the attached PDF for those of the
    // file.
    if (data.includes("%%EOF")) expect(outputs[3]).toBeUndefined();
    for (const output of outputs.filter((bytes) => bytes !== undefined)) {
      expect(isEqual(output, outputs[0]!)).toBe(true);
      const text = latin1(output);
      expect(text.replace(data, "")).toHaveLength(text.length - data.length);
      expect(text.replace(data, "")).not.toMatch(/Old|%%EOF[\s\S]*%%EOF|startxref[\s\S]*startxref/);
      const { pages } = await open(output);
      expect(pages.map(({ box }) => box.x1)).toEqual([300]);
    }
  });
});

describe("objects among superseded objects", () => {
  const USED = "/Used(it is in use)";
  const moved = (by: number) => {
    const builder = new FileBuilder().objects(onePage(OLD)).table();
    builder.objects({ 3: NEW, 8: `<<${USED}>>` });
    builder.offsets.set(8, builder.offsets.get(8)! + by);
    return builder.table();
  };
  const valued = (value: string, behind = "") => {
    const builder = new FileBuilder().objects(onePage(OLD)).table().objects({ 3: NEW, 8: value });
    builder.text += `${behind}3 0 obj\n<</Old true>>\nendobj\n`;
    return builder.table();
  };

  it.each<[string, FileBuilder, string]>([
    ["with an offset of the white space before it", moved(-1), USED],
    ["with an offset that is off by one", moved(1), USED],
    ["that is a reference", valued("4 0 R"), "4 0 R\nendobj"],
    ["that is a number", valued("12345"), "12345\nendobj"],
    ["that is a string like an object", valued("(3 0 obj <<>> endobj)"), "(3 0 obj <<>> endobj)\nendobj"],
    ["with a comment before its end", valued("<</A 1>> % 3 0 obj"), "<</A 1>> % 3 0 obj\nendobj"],
    ["with too many brackets", valued("<</A[1]>> >>"), "<</A[1]>>"],
    ["that is a stream without a length", valued("<<>>stream\nx\nendstream"), "stream\nx\nendstream\nendobj"],
    [
      "that is a stream with a wrong length",
      valued("<</Length 1>>stream\nxyz\nendstream"),
      "stream\nxyz\nendstream\nendobj",
    ],
    [
      "that is a stream with a negative length",
      valued("<</Length -37>>stream\nxyz\nendstream"),
      "stream\nxyz\nendstream\nendobj",
    ],
    [
      "that is a stream with a malformed length",
      valued("<</Length(x)>>stream\nx\nendstream"),
      "stream\nx\nendstream\nendobj",
    ],
    ["that is unreadable", valued("<</A"), "8 0 obj\n<</A\nendobj"],
  ])("retains an object %s, and erases superseded objects around it", async (_, builder, expected) => {
    const source = builder.bytes();
    const ranges = new RangeSource(readerBy(source.length, async (start, end) => source.slice(start, end)));
    for (const opened of [source, ranges]) {
      const output = latin1(await joined((await plan(opened, { thorough: true })).chunks()));
      expect(output).toContain(expected);
      expect(output).not.toContain("/Old");
    }
    expect(latin1(await joined((await plan(source)).chunks()))).toContain(expected);
  });
});

describe("objects with two entries", () => {
  const USED = "8 0 obj\n<</Used true>>";
  const withUsed = (page: string) => new FileBuilder().objects({ ...onePage(page), 8: "<</Used true>>" });
  it.each<[string, () => FileBuilder, string]>([
    [
      "an older entry of another object",
      () => {
        const builder = withUsed(OLD);
        builder.offsets.set(9, builder.offsets.get(8)!);
        const trailer = `/Root 1 0 R/Prev ${previousOf(builder.table())}`;
        return builder.objects({ 3: NEW, 9: "(new)" }).table({ numbers: [3, 9], trailer });
      },
      USED,
    ],
    [
      "a cross-reference section",
      () => {
        const builder = withUsed(OLD);
        return builder.table({ trailer: `/Root 1 0 R/Prev ${builder.offsets.get(8)}` });
      },
      USED,
    ],
  ])("retains an object whose offset is also listed as %s", async (_, build, expected) => {
    const source = build().bytes();
    const ranges = new RangeSource(readerBy(source.length, async (start, end) => source.slice(start, end)));
    expect(latin1(await joined((await plan(ranges)).chunks()))).toContain(expected);
  });
});
