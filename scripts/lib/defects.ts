/**
 * Defects of PDFs that readers tolerate. Each defect is a function that changes a file. The engine must tolerate each
 * defect when it is the only one.
 */

/** Adds a defect to a file, which is a string of one character per byte. */
export type Defect = (file: string) => string;

/** A file of two pages, to which defects are applied. */
export const SOUND = fileOf({
  1: "<< /Type /Catalog /Pages 2 0 R >>",
  2: "<< /Type /Pages /Count 2 /Kids [3 0 R 4 0 R] /MediaBox [0 0 300 400] /Resources 6 0 R >>",
  3: "<< /Type /Page /Parent 2 0 R /Contents 5 0 R /Rotate 0 >>",
  4: "<< /Type /Page /Parent 2 0 R /Contents [5 0 R 7 0 R] /Resources << /ProcSet [/PDF] >> >>",
  5: "<< /Length 24 >>\nstream\n0.5 g 10 10 100 100 re f\nendstream",
  6: "<< /ProcSet [/PDF] >>",
  7: "<< /Length 8 0 R >>\nstream\n0 g 20 20 30 30 re f\nendstream",
  8: "20",
});

/** Writes a file with a cross-reference table. */
function fileOf(objects: Record<number, string>): string {
  let text = "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n";
  const entries = ["0000000000 65535 f \n"];
  for (const [num, body] of Object.entries(objects)) {
    entries.push(`${String(text.length).padStart(10, "0")} 00000 n \n`);
    text += `${num} 0 obj\n${body}\nendobj\n`;
  }
  const size = entries.length;
  return `${text}xref\n0 ${size}\n${entries.join("")}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`;
}

/** Replaces a text, and corrects the offsets in the file if its length changes. */
function inPlace(from: string | RegExp, to: string): Defect {
  return (file) => {
    const changed = file.replace(from, to);
    const surplus = changed.length - file.length;
    if (surplus === 0) return changed;
    const at = changed.search(/xref\n0 /);
    return shifted(changed, file, at, surplus);
  };
}

/** Corrects the offsets in the cross-reference table and in startxref after a change in the objects. */
function shifted(changed: string, before: string, table: number, surplus: number): string {
  const first = Array.from(before).findIndex((character, index) => character !== changed[index]);
  const move = (digits: string) => {
    const offset = Number(digits);
    return String(offset > first ? offset + surplus : offset).padStart(digits.length, "0");
  };
  if (table < 0) return changed;
  return (
    changed.slice(0, table) +
    changed
      .slice(table)
      .replace(/^(\d{10})(?= \d{5} n)/gm, (digits) => move(digits))
      .replace(/(?<=startxref\n)\d+/, (digits) => move(digits))
  );
}

const raw =
  (from: string | RegExp, to: string): Defect =>
  (file) =>
    file.replace(from, to);

/** Defects by name. */
export const DEFECTS: Record<string, Defect> = {
  "junk before the header": (file) => `junk\n${file}`,
  "no header": raw("%PDF-1.7\n", "%???-1.7\n"),
  "junk behind the end": (file) => `${file}${"junk\n".repeat(100)}`,
  "no %%EOF": raw("%%EOF\n", ""),
  "no startxref": raw(/startxref\n\d+\n/, ""),
  "a startxref that points nowhere": raw(/(?<=startxref\n)\d+/, "99999"),
  "a startxref that is one too small": (file) => file.replace(/(?<=startxref\n)\d+/, (at) => String(Number(at) - 1)),
  "no cross-reference": raw(/xref\n0 [\s\S]*?(?=trailer)/, ""),
  "lines of 19 bytes": raw(/ \n(?=\d{10}|trailer)/g, "\n"),
  "numbers without leading zeros": raw(/^0+(?=\d+ \d{5} n)/gm, ""),
  "a first subsection that begins at 1": raw("xref\n0 ", "xref\n1 "),
  "an offset that is wrong": (file) =>
    file.replace(/^0{7}\d{3}(?= 00000 n)/gm, (at, index, all) =>
      all.slice(0, index).match(/ n \n/g)?.length === 3 ? "0000000001" : at,
    ),
  "an offset that points to the line end before the object": (file) =>
    file.replace(/^\d{10}(?= 00000 n)/gm, (at, index, all) =>
      all.slice(0, index).match(/ n \n/g)?.length === 2 ? String(Number(at) - 1).padStart(10, "0") : at,
    ),
  "an unused object at offset 0": raw(/^\d{10} 00000 n (?=\ntrailer)/m, "0000000000 00000 n "),
  "a /Size that is too small": raw(/\/Size \d+/, "/Size 3"),
  "a /Size that is too large": raw(/\/Size \d+/, "/Size 99"),
  "no /Size": raw(/\/Size \d+/, ""),
  "a /Prev to the section itself": (file) =>
    file.replace("/Root", `/Prev ${/startxref\n(\d+)/.exec(file)?.[1] ?? 0} /Root`),
  "a /Prev that points nowhere": raw("/Root", "/Prev 7 /Root"),
  "no /Root": raw("/Root 1 0 R", ""),
  "a /Root by another generation": raw("/Root 1 0 R", "/Root 1 3 R"),
  "an /Encrypt that is null": raw("/Root", "/Encrypt null /Root"),
  "a page without endobj": raw(/(?<=\/Rotate 0 >>\n)endobj/, "      "),
  "a node without endobj": raw(/(?<=\/Resources 6 0 R >>\n)endobj/, "      "),
  "a generation in an object header": raw("3 0 obj", "3 1 obj"),
  "a generation in a reference": raw("[3 0 R", "[3 1 R"),
  "a catalog without /Type": inPlace("/Type /Catalog", ""),
  "a node without /Type": inPlace("/Type /Pages", ""),
  "a page without /Type": inPlace("/Type /Page /", "/"),
  "a page of another /Type": inPlace("/Type /Page /", "/Type /Leaf /"),
  "an escaped /Type": inPlace("/Type /Page /", "/T#79pe /P#61ge /"),
  "an escaped /Kids": inPlace("/Kids", "/K#69ds"),
  "no /Count": inPlace("/Count 2", ""),
  "a /Count of 0": inPlace("/Count 2", "/Count 0"),
  "a negative /Count": inPlace("/Count 2", "/Count -2"),
  "a /Count that is too large": inPlace("/Count 2", "/Count 9"),
  "a null kid": inPlace("[3 0 R", "[null 3 0 R"),
  "a missing kid": inPlace("[3 0 R", "[99 0 R 3 0 R"),
  "a kid that is a string": inPlace("[3 0 R", "[(x) 3 0 R"),
  "a page that is listed twice": inPlace("[3 0 R", "[3 0 R 3 0 R"),
  "a node that lists itself": inPlace("[3 0 R", "[2 0 R 3 0 R"),
  "kids without white space": inPlace("[3 0 R 4 0 R]", "[3 0 R4 0 R]"),
  "a kid that is a dictionary": inPlace("[3 0 R", "[<< /Type /Page /Parent 2 0 R /Contents 5 0 R >> 3 0 R"),
  "no /Parent": inPlace("/Parent 2 0 R ", ""),
  "a wrong /Parent": inPlace("/Parent 2 0 R", "/Parent 6 0 R"),
  "a MediaBox in another order": inPlace("[0 0 300 400]", "[300 400 0 0]"),
  "no MediaBox": inPlace("/MediaBox [0 0 300 400]", ""),
  "a MediaBox with a malformed number": inPlace("[0 0 300 400]", "[0 --0 300 400]"),
  "a CropBox elsewhere": inPlace("/Rotate 0", "/CropBox [900 900 950 950]"),
  "a /Rotate of 45": inPlace("/Rotate 0", "/Rotate 45"),
  "a /Rotate that is a reference to nothing": inPlace("/Rotate 0", "/Rotate 99 0 R"),
  "a UserUnit of 0": inPlace("/Rotate 0", "/UserUnit 0"),
  "garbage in place of a key": inPlace("/Rotate 0", "garbage 5 /Rotate 0"),
  "a key without a value": inPlace("/Rotate 0 >>", "/Rotate >>"),
  "a page whose dictionary opens twice": inPlace(
    "<< /Type /Page /Parent 2 0 R /Contents 5",
    "<< << /Type /Page /Parent 2 0 R /Contents 5",
  ),
  "a page that is not closed": inPlace("/Rotate 0 >>", "/Rotate 0"),
  "a page that ends with one bracket": inPlace("/Rotate 0 >>", "/Rotate 0 >"),
  "a duplicate /Contents": inPlace("/Contents 5", "/Contents 7 0 R /Contents 5"),
  "a null element of /Contents": inPlace("[5 0 R 7", "[null 5 0 R 7"),
  "a missing element of /Contents": inPlace("[5 0 R 7", "[98 0 R 5 0 R 7"),
  "an element of /Contents by another generation": inPlace("[5 0 R 7", "[5 2 R 7"),
  "/Contents that are null": inPlace("/Contents 5 0 R /Rotate", "/Contents null /Rotate"),
  "/Resources that are null": inPlace("/Resources 6 0 R", "/Resources null"),
  "/Resources that are missing": inPlace("/Resources 6 0 R", "/Resources 97 0 R"),
  "/Resources that are a stream": inPlace("/Resources 6 0 R", "/Resources 5 0 R"),
  "a /Length of 0": inPlace("/Length 24", "/Length 0"),
  "a /Length that is too large": inPlace("/Length 24", "/Length 9999"),
  "a /Length that is one too small": inPlace("/Length 24", "/Length 23"),
  "no /Length": inPlace("/Length 24", ""),
  "a negative /Length": inPlace("/Length 24", "/Length -1"),
  "a missing /Length object": inPlace("/Length 8 0 R", "/Length 96 0 R"),
  "no endstream": raw(/endstream/, "         "),
  "a blank behind the keyword stream": inPlace("stream\n0.5", "stream \n0.5"),
  "a carriage return behind the keyword stream": raw("stream\n0.5", "stream\r0.5"),
  "no line end behind the keyword stream": inPlace("stream\n0.5", "stream0.5"),
  "a /Filter that is null": inPlace("/Length 24", "/Length 24 /Filter null"),
  "content with an open q": inPlace("0.5 g 10", "q q g 10"),
  "content with an unknown operator": inPlace("0.5 g 10", "foo g 10"),
  "content that ends in a string": inPlace("100 re f\n", "100 re f (\n"),
  "content with an unknown filter": inPlace("/Length 24", "/Length 24 /Filter /Unknown"),
};
