/** Small well-formed PDFs, one for each structure that the engine must understand. The fuzzer damages these files. */
import { srgbProfile } from "../../src/engine/images/calibratedProfile.ts";
import { openCipher } from "../../src/engine/pdf/security/encryption.ts";
import { xmp } from "../engine/pdf/archive.ts";
import { bytesOfHex, encryptDictionary, encryptText, VECTORS } from "../engine/pdf/security/encryptedFile.ts";
import { type Draft, type Member, type Part, written } from "./draft.ts";
import type { Filter } from "./filters.ts";

const HEAD: Part = { text: "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n" };
const ID = "/ID [<00112233445566778899aabbccddeeff> <00112233445566778899aabbccddeeff>]";
const BOX = "/MediaBox [0 0 300 400]";
const INK = "0.5 g 10 10 100 100 re f";

/** Returns objects with these texts, numbered consecutively from `first`. */
function objects(first: number, texts: readonly string[]): Part[] {
  return texts.map((text, index) => ({ num: first + index, text }));
}

function stream(num: number, data: string, entries = "", filters: Filter[] = []): Part {
  return { num, text: `<< ${entries} >>`, data, filters };
}

/** Returns an object stream whose members are numbered consecutively from `first`. */
function packed(num: number, first: number, texts: readonly string[], filters: Filter[] = ["FlateDecode"]): Part {
  const members = texts.map((text, index): Member => ({ num: first + index, text }));
  return { num, text: "<< /Type /ObjStm /N {count} /First {first} >>", members, filters };
}

const START: Part = { text: "startxref\n{start}\n%%EOF\n" };

function table(trailer = "/Root 1 0 R"): Part[] {
  return [{ text: `xref\n{rows}trailer\n<< /Size {size} ${trailer} >>\n` }, START];
}

function xrefStream(num: number, trailer = "/Root 1 0 R", filters: Filter[] = ["FlateDecode"]): Part[] {
  const text = `<< /Type /XRef /Size {size} /W [1 4 2] /Index [{index}] ${trailer} >>`;
  return [{ num, text, rows: "all", filters }, START];
}

const CATALOG = "<< /Type /Catalog /Pages 2 0 R >>";
const page = (entries: string) => `<< /Type /Page /Parent 2 0 R ${entries} >>`;
const tree = (kids: string, count: number, more = BOX) => `<< /Type /Pages /Count ${count} /Kids [${kids}] ${more} >>`;

const CLASSIC: Part[] = [
  HEAD,
  ...objects(1, [
    CATALOG,
    tree("3 0 R 4 0 R", 2, `${BOX} /Resources << /Font << /F1 6 0 R >> >>`),
    page("/Contents 5 0 R /Rotate 90 /CropBox [10 10 200 300]"),
    page("/Contents [5 0 R 7 0 R] /Annots [8 0 R]"),
  ]),
  stream(5, `q ${INK} Q`),
  ...objects(6, ["<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]),
  stream(7, "BT /F1 12 Tf 20 20 Td (words) Tj ET"),
  ...objects(8, [
    "<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A << /S /URI /URI (http://example.com/\\)) >> >>",
    "<< /Title (A \\(title\\)) >>",
  ]),
  ...table(`/Root 1 0 R /Info 9 0 R ${ID}`),
];

const OBJECT_STREAMS: Part[] = [
  HEAD,
  stream(5, INK, "", ["FlateDecode"]),
  packed(6, 1, [CATALOG, tree("3 0 R 4 0 R", 2), page("/Contents 5 0 R /Resources << /ProcSet [/PDF] >>")]),
  packed(7, 4, [page("/Contents [5 0 R] /UserUnit 2")], ["Predictor"]),
  ...xrefStream(8, "/Root 1 0 R", ["Predictor"]),
];

/**
 * An uncompressed PDF that other files attach, with one character per byte. A reader may mistake this attachment for
 * the document. It has only one page, so that the reader then shows no more pages than the document has.
 */
const ATTACHED = Buffer.from(
  written({
    parts: [HEAD, ...objects(1, [CATALOG, tree("3 0 R", 1), page("/Contents 4 0 R")]), stream(4, INK), ...table()],
  }),
).toString("latin1");

function encrypted(name: string, isPacked: boolean): Draft {
  const vector = VECTORS.find((each) => each.name === name)!;
  const [id, trailer] = [vector.id, `/Root 1 0 R /Encrypt 8 0 R /ID [<${vector.id}> <${vector.id}>]`];
  const texts = [CATALOG, tree("3 0 R 4 0 R", 2), page("/Contents 5 0 R"), page("/Contents [5 0 R 5 0 R]")];
  return {
    parts: [
      HEAD,
      stream(5, INK),
      { num: 8, text: encryptText(vector) },
      ...(isPacked ? [packed(6, 1, texts), ...xrefStream(7, trailer)] : [...objects(1, texts), ...table(trailer)]),
    ],
    cipher: openCipher(encryptDictionary(vector), bytesOfHex(id), undefined),
  };
}

export const DRAFTS: Record<string, Draft> = {
  "classic table": { parts: CLASSIC },
  "object streams": { parts: OBJECT_STREAMS },
  "incremental update": {
    parts: [...CLASSIC, ...objects(3, [page("/Contents 7 0 R")]), ...table("/Root 1 0 R /Prev {previous}")],
  },
  "update of object streams": {
    parts: [
      ...OBJECT_STREAMS,
      packed(9, 3, [page("/Contents 5 0 R /Rotate 180"), page("/Contents 5 0 R")]),
      ...xrefStream(10, "/Root 1 0 R /Prev {previous}"),
    ],
  },
  hybrid: {
    parts: [
      HEAD,
      ...objects(1, [CATALOG, tree("3 0 R 4 0 R", 2), page("/Contents 5 0 R /Resources 6 0 R")]),
      stream(5, INK),
      packed(8, 6, ["<< /ProcSet [/PDF] >>"]),
      packed(9, 4, [page("/Contents 5 0 R")]),
      { num: 10, text: "<< /Type /XRef /Size {size} /W [1 4 2] /Index [{index}] >>", rows: "members" },
      ...table("/Root 1 0 R /XRefStm {previous}"),
    ],
  },
  "page tree of five levels": {
    parts: [
      HEAD,
      ...objects(1, [
        CATALOG,
        tree("3 0 R", 1, "/MediaBox [0 0 100 100]"),
        ...[4, 5, 6, 7].map((kid) => tree(`${kid} 0 R`, 1, `/Parent ${kid - 2} 0 R`)),
        "<< /Type /Page /Parent 6 0 R /Contents 8 0 R >>",
      ]),
      stream(8, "0 0 9 9 re f"),
      ...table(),
    ],
  },
  "shared arrays and resources": {
    parts: [
      HEAD,
      ...objects(1, [
        CATALOG,
        "<< /Type /Pages /Count 3 /Kids 10 0 R /MediaBox [0 0 300 400] /Resources 11 0 R >>",
        page("/Contents 9 0 R"),
        page("/Contents 9 0 R /Resources << /XObject 12 0 R >>"),
        page("/Contents 9 0 R /MediaBox [0 0 200 200] /Resources 13 0 R"),
      ]),
      stream(6, INK),
      stream(7, "1 0 0 rg 5 5 9 9 re f"),
      ...objects(9, ["[6 0 R 7 0 R]", "[3 0 R 4 0 R 5 0 R]", "<< /ProcSet [/PDF] >>", "<< /Fm0 14 0 R >>", "11 0 R"]),
      stream(14, INK, "/Type /XObject /Subtype /Form /BBox [0 0 9 9]"),
      ...table(),
    ],
  },
  "pages within nodes": {
    parts: [
      HEAD,
      ...objects(1, [
        CATALOG,
        tree(`<< /Type /Page /Parent 2 0 R /Contents 4 0 R >> ${page("/Contents [4 0 R] /Rotate 270")} 3 0 R`, 4),
        `<< /Type /Pages /Parent 2 0 R /Count 2 /Kids [${page("/Contents 4 0 R")} 5 0 R] >>`,
      ]),
      stream(4, INK),
      ...objects(5, ["<< /Type /Page /Parent 3 0 R /Contents 4 0 R >>"]),
      ...table(),
    ],
  },
  "attributes in other object streams": {
    parts: [
      HEAD,
      stream(5, INK, "", ["ASCII85Decode"]),
      packed(
        6,
        10,
        ["[0 0 300 400]", "90", "<< /XObject 14 0 R >>", "[5 0 R 5 0 R]"],
        ["FlateDecode", "ASCII85Decode"],
      ),
      packed(
        7,
        1,
        [
          CATALOG,
          "<< /Type /Pages /Count 2 /Kids 15 0 R /MediaBox 10 0 R >>",
          page("/Rotate 11 0 R /Resources 12 0 R /Contents 13 0 R"),
        ],
        ["LZWDecode"],
      ),
      packed(8, 14, ["<< /Fm 16 0 R >>", "[3 0 R 4 0 R]"], ["ASCIIHexDecode"]),
      packed(9, 4, [page("/CropBox 10 0 R /Resources 12 0 R /Contents 13 0 R")], []),
      stream(16, INK, "/Type /XObject /Subtype /Form /BBox [0 0 9 9]"),
      ...xrefStream(17, "/Root 1 0 R", []),
    ],
  },
  "page tree in the catalog": {
    parts: [
      HEAD,
      ...objects(1, [
        `<< /Type /Catalog /Pages << /Type /Pages /Count 2 /Kids [3 0 R << /Type /Page ${BOX} /Contents 4 0 R >>] >> >>`,
      ]),
      ...objects(3, [`<< /Type /Page ${BOX} /Contents 4 0 R >>`]),
      stream(4, INK),
      ...table(),
    ],
  },
  "catalog in the trailer": {
    parts: [
      HEAD,
      ...objects(2, [tree("3 0 R", 1), page("/Contents 4 0 R")]),
      stream(4, INK),
      ...table("/Root << /Type /Catalog /Pages 2 0 R >>"),
    ],
  },
  "thumbnails and what else shows pages": {
    parts: [
      HEAD,
      ...objects(1, [
        "<< /Type /Catalog /Pages 2 0 R /Outlines 6 0 R /Perms << /UR3 8 0 R >> /Names << /Templates << /Names [(t) 9 0 R] >> >> /Collection << >> >>",
        tree("3 0 R 4 0 R", 2),
        page("/Thumb 5 0 R /PieceInfo << /App << /Private 5 0 R >> >> /Contents 10 0 R /Contents 11 0 R"),
        page("/C#6fntents 10 0 R /#52otate 90 /Thu#6db 5 0 R"),
      ]),
      stream(5, "\0\0\0", "/Width 1 /Height 1 /ColorSpace /DeviceRGB /BitsPerComponent 8"),
      ...objects(6, [
        "<< /First 7 0 R /Last 7 0 R >>",
        "<< /Parent 6 0 R /Title (x) /Dest [12 0 R /Fit] >>",
        "<< /Type /Sig /Filter /Adobe.PPKLite /Contents <00> >>",
        "<< /Type /Template /Contents 10 0 R >>",
      ]),
      stream(10, INK),
      stream(11, "1 0 0 rg 5 5 9 9 re f"),
      ...objects(12, [`<< /Type /Page ${BOX} /Contents 11 0 R >>`]),
      ...table(),
    ],
  },
  "PDF/A": {
    parts: [
      { text: "%PDF-1.4\n%\xe2\xe3\xcf\xd3\n" },
      ...objects(1, [
        "<< /Type /Catalog /Pages 2 0 R /Metadata 5 0 R /OutputIntents [6 0 R] >>",
        tree("3 0 R", 1),
        page("/Contents 4 0 R /Resources << /ColorSpace << /DefaultRGB [/ICCBased 7 0 R] >> >>"),
      ]),
      stream(4, INK),
      stream(5, xmp('pdfaid:part="1" pdfaid:conformance="B"'), "/Type /Metadata /Subtype /XML"),
      ...objects(6, [
        "<< /Type /OutputIntent /S /GTS_PDFA1 /OutputConditionIdentifier (Custom) /DestOutputProfile 7 0 R >>",
      ]),
      stream(7, Buffer.from(srgbProfile(3)).toString("latin1"), "/N 3", ["FlateDecode"]),
      ...table(`/Root 1 0 R ${ID}`),
    ],
  },
  attachments: {
    parts: [
      HEAD,
      ...objects(1, [
        "<< /Type /Catalog /Pages 2 0 R /Names << /EmbeddedFiles << /Names [(a) 5 0 R] >> >> >>",
        // two pages, so that the document has more pages than its attachment
        tree(`3 0 R ${page("/Contents 4 0 R")}`, 2),
        page("/Contents 4 0 R"),
      ]),
      { ...stream(4, INK), entries: "/Length 8 0 R" },
      ...objects(5, ["<< /Type /Filespec /F (a.pdf) /EF << /F 6 0 R >> >>"]),
      { ...stream(6, ATTACHED, "/Type /EmbeddedFile"), entries: "/Length 7 0 R" },
      ...objects(7, ["{length 6}", "{length 4}"]),
      ...table(),
    ],
  },
  "an attachment in an update": {
    parts: [
      ...CLASSIC,
      ...objects(1, ["<< /Type /Catalog /Pages 2 0 R /AF [10 0 R] >>"]),
      ...objects(10, ["<< /Type /Filespec /F (a.pdf) /EF << /F 11 0 R >> >>"]),
      stream(11, ATTACHED, "/Type /EmbeddedFile"),
      ...table("/Root 1 0 R /Prev {previous}"),
    ],
  },
  "junk around it": {
    parts: [{ text: "GIF89a junk\n" }, ...CLASSIC, { text: "junk\n".repeat(20) }],
  },
  "pages far apart": {
    parts: [
      HEAD,
      ...objects(1, [CATALOG, tree("3 0 R 4 0 R 5 0 R", 3), page("/Contents 6 0 R"), page("/Contents 7 0 R")]),
      stream(6, INK),
      stream(10, " ".repeat(70_000)),
      ...objects(5, [page("/Contents 8 0 R")]),
      stream(11, " ".repeat(70_000)),
      stream(7, INK),
      ...objects(8, ["[6 0 R 7 0 R]"]),
      ...table(),
    ],
  },
  "RC4 of 40 bits": encrypted("an empty user password, revision 2", false),
  "AES of 128 bits": encrypted("an empty user password, revision 4", true),
  "AES of 256 bits": encrypted("an empty user password, revision 5", true),
};

export const SEEDS: Record<string, Uint8Array> = Object.fromEntries(
  Object.entries(DRAFTS).map(([name, draft]) => [name, written(draft)]),
);
