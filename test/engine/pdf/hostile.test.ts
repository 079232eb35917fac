/** Tests damaged and hostile files. The engine marks or rejects each file with little time and memory. */
import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { encode } from "../../support/bytes.ts";
import { FileBuilder, file, latin1, onePage, outcome } from "./fixture.ts";

function bomb(): Uint8Array {
  const zeros = deflateSync(new Uint8Array(60 << 20));
  const builder = new FileBuilder().objects({
    5: { dict: "/Type/ObjStm/N 3/First 20/Filter/FlateDecode", data: zeros },
  });
  return builder
    .xrefStream(
      6,
      [1, 2, 3].map((num, index) => [num, 5, index]),
    )
    .bytes();
}

function referringToItself(): Uint8Array {
  const builder = new FileBuilder().objects({
    5: "<</Type/ObjStm/N 1/First 4/Length 2 0 R>>\nstream\n2 0 9\nendstream",
  });
  return builder
    .xrefStream(6, [
      [2, 5, 0],
      [1, 5, 1],
    ])
    .bytes();
}

/**
 * Returns a file with many consecutive spaces. An older cross-reference section lists an object at each space, but no
 * object follows.
 */
function blanks(count: number): Uint8Array {
  const builder = new FileBuilder().objects(onePage());
  const start = builder.text.length;
  builder.text += `${" ".repeat(count)}x\n`;
  builder.objects({ 5: "null" });
  const entries = Array.from({ length: count }, (_, i) => `${String(start + i).padStart(10, "0")} 00000 n \n`).join("");
  const older = builder.text.length;
  builder.text += `xref\n1000 ${count}\n${entries}trailer\n<<>>\n`;
  const newer = builder.table({ trailer: `/Root 1 0 R/Prev ${older}` });
  const free = `1000 ${count}\n${"0000000000 65535 f \n".repeat(count)}`;
  return encode(newer.text.replace(/trailer(?=\n<<\/Root)/, `${free}trailer`));
}

/**
 * Returns a file whose cross-reference table lists many objects inside one comment. The comment contains only object
 * numbers. `0 obj` follows it, so that each number seems to begin an object.
 */
function comment(count: number): Uint8Array {
  const builder = new FileBuilder().objects(onePage());
  for (let num = 1000; num < 1000 + count; num++) {
    builder.offsets.set(num, builder.text.length);
    builder.text += `${num}%`;
  }
  builder.text += "\n0 obj null endobj\n";
  return builder.table().bytes();
}

const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
const nestedKids = (depth: number) => `${"<</Type/Pages/Kids[".repeat(depth)}<</Type/Page>>${"]>>".repeat(depth)}`;

describe("the engine", () => {
  it.each<[string, Uint8Array]>([
    ["whose object stream is a decompression bomb", bomb()],
    ["whose object stream contains its own length", referringToItself()],
    ["whose page is deeply nested", file(onePage(`/Deep ${nested(200_000)}/MediaBox${nested(5000)}`))],
    ["whose page tree is nested in one object", file({ 1: "<</Type/Catalog/Pages 2 0 R>>", 2: nestedKids(5000) })],
    [
      "whose table claims a billion entries",
      encode(latin1(file(onePage())).replace("xref\n0 1\n", "xref\n0 999999999\n")),
    ],
    ["whose object numbers are immense", encode(latin1(file(onePage())).replaceAll("4 1\n", "999999999 1\n"))],
    ["whose /Contents refer to themselves", file(onePage("/Contents 4 0 R", { 4: "4 0 R" }))],
    ["whose /Resources refer to themselves", file(onePage("/Resources 4 0 R", { 4: "4 0 R" }))],
    ["whose older section lists an object at each of many blanks", blanks(100_000)],
    ["whose table lists an object at each number of a comment", comment(100_000)],
    ["whose strings never end", encode(`%PDF-1.7\n${"1 0 obj (".repeat(10_000)}`)],
    ["whose dictionaries never end", encode(`%PDF-1.7\n${"1 0 obj <<".repeat(10_000)}`)],
    ["whose streams never end", encode(`%PDF-1.7\n${"1 0 obj <<>> stream\n".repeat(10_000)}`)],
  ])(
    "the engine marks or rejects a file %s",
    async (_, bytes) => {
      expect(await outcome(bytes)).toMatch(/^(stamped|damaged_pdf|not_a_pdf|too_complex)$/);
    },
    20_000,
  );

  it("the engine marks or rejects files in which random bytes were changed, removed or duplicated", async () => {
    const compressed = new FileBuilder().objects({ 4: { data: "0 g" } });
    const members = compressed.objectStream(5, {
      1: "<</Type/Catalog/Pages 2 0 R>>",
      2: "<</Type/Pages/Count 1/Kids[3 0 R]>>",
      3: "<</Type/Page/Contents 4 0 R>>",
    });
    const seeds = [
      file(onePage()),
      compressed.xrefStream(6, members).bytes(),
      new FileBuilder().objects(onePage()).table().table().bytes(),
    ];
    // The random sequence is always the same, so that failures can be reproduced.
    let state = 1;
    const random = (below: number) => {
      state = (state * 48_271) % 2_147_483_647;
      return state % below;
    };
    for (let round = 0; round < 500; round++) {
      const bytes = mutate([...seeds[round % seeds.length]!], random);
      expect(await outcome(bytes), `round ${round}`).not.toContain("unexpected");
    }
  }, 60_000);
});

function mutate(bytes: number[], random: (below: number) => number): Uint8Array {
  for (let i = random(4) + 1; i > 0; i--) {
    const at = random(bytes.length);
    const how = random(4);
    if (how === 0) bytes[at] = random(256);
    else if (how === 1) bytes[at] = "0123456789<>[]()/% R"[random(20)]!.charCodeAt(0);
    else if (how === 2) bytes.splice(at, random(40) + 1);
    else bytes.splice(at, 0, ...bytes.slice(random(bytes.length), random(bytes.length)));
  }
  return Uint8Array.from(bytes.length > 0 ? bytes : [0]);
}
