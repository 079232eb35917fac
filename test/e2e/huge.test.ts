import { expect, test } from "vitest";
import { planOutput } from "../../src/engine/pdf/output/outputPlan.ts";
import { overlay } from "../../src/engine/pdf/output/overlay.ts";
import { RangeSource } from "../../src/engine/pdf/source/byteSource.ts";
import { corner, open } from "../engine/pdf/fixture.ts";
import { encode } from "../support/bytes.ts";
import { readerBy } from "../support/ranges.ts";

const FAR = 2 ** 32 + 1;
/** Block of spaces that fills most of the file. */
const BLANK = new Uint8Array(1 << 20).fill(0x20);

/**
 * Returns a virtual file of more than 4 GiB. The file contains only spaces between its first objects and its last
 * object.
 */
function hugeFile() {
  const objects = {
    1: "1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n",
    2: "2 0 obj\n<< /Type /Pages /Count 1 /Kids [3 0 R] >>\nendobj\n",
    4: "4 0 obj\n<< /Length 12 >>\nstream\n0 0 9 9 re f\nendstream\nendobj\n",
  };
  const head = `%PDF-1.4\n${objects[1]}${objects[2]}${objects[4]}`;
  const page = "3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 400] /Contents 4 0 R >>\nendobj\n";
  const offsets = [head.indexOf("1 0 obj"), head.indexOf("2 0 obj"), FAR, head.indexOf("4 0 obj")];
  const entries = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const tail = `${page}xref\n0 5\n0000000000 65535 f \n${entries}trailer\n<< /Size 5 /Root 1 0 R >>\nstartxref\n${FAR + page.length}\n%%EOF\n`;

  const parts = [
    { at: 0, bytes: encode(head) },
    { at: FAR, bytes: encode(tail) },
  ];
  const read = async (start: number, end: number) => {
    if (start >= head.length && end <= FAR && end - start <= BLANK.length) return BLANK.subarray(0, end - start);
    const range = new Uint8Array(end - start).fill(0x20);
    for (const { at, bytes } of parts) {
      const [from, to] = [Math.max(start, at), Math.min(end, at + bytes.length)];
      if (from < to) range.set(bytes.subarray(from - at, to - at), from - start);
    }
    return range;
  };
  return new RangeSource(readerBy(FAR + tail.length, read));
}

test("the engine reads and writes byte offsets beyond 4 GiB", async () => {
  const document = await open(hugeFile());
  const square = document.add({
    dict: "/Type/XObject/Subtype/Form/BBox[0 0 1 1]/Resources<<>>",
    data: encode("0 0 1 1 re f"),
  });
  await overlay(document, (page, nameOf) => corner(page, nameOf(square)));
  const plan = await planOutput(document);
  expect(plan.length).toBeGreaterThan(FAR);

  let length = 0;
  const last: Uint8Array[] = [];
  for await (const chunk of plan.chunks()) {
    length += chunk.length;
    if (length > FAR) last.push(chunk.slice());
  }
  expect(length).toBe(plan.length);

  const tail = new TextDecoder("latin1").decode(Buffer.concat(last));
  const start = length - tail.length;
  const page = start + tail.lastIndexOf("3 0 obj");
  expect(tail).toContain(`\n${String(page).padStart(10, "0")} 00000 n`);
  const xref = Number(/startxref\s+(\d+)/.exec(tail)?.[1]);
  expect(tail.slice(xref - start, xref - start + 4)).toBe("xref");
});
