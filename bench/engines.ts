import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A library or program that puts a mark on every page. */
export interface Engine {
  name: string;
  /** Whether the engine is a native program. A native program is started for each file and timed as a whole process. */
  native?: true;
  /** Returns whether the program is installed. Libraries do not have this function. */
  available?(): boolean;
  /** Loads the engine. Returns a function that marks a PDF and returns the length of the result in bytes. */
  prepare(): Promise<(pdf: Uint8Array) => Promise<number>>;
}

const TEXT = "CONFIDENTIAL";

/** The lower bound for every engine: it copies the bytes once. */
export const FLOOR: Engine = {
  name: "copy",
  prepare: async () => async (pdf) => pdf.slice().length,
};

export const OURS: Engine = {
  name: "overprint",
  prepare: async () => markImageWith(await import("../src/engine/index.ts")),
};

/** Our engine as the npm package that `unpackEngine` has unpacked. */
export const PACKED: Engine = {
  name: "@overprint/engine (npm package)",
  async prepare() {
    const name = "@overprint/engine"; // a variable, because the package does not exist when types are checked
    return markImageWith((await import(name)) as typeof import("../src/engine/index.ts"));
  },
};

export const PEERS: readonly Engine[] = [
  {
    name: "pdf-lib, drawText per page",
    prepare: async () => drawTextWith(await import("pdf-lib")),
  },
  {
    name: "pdf-lib, one shared form",
    async prepare() {
      const { PDFDict, PDFDocument, PDFName } = await import("pdf-lib");
      return async (pdf) => {
        const document = await PDFDocument.load(pdf, { updateMetadata: false });
        const { context } = document;
        const form = context.register(
          context.stream("0.7 g 100 100 300 300 re f", { Type: "XObject", Subtype: "Form", BBox: [0, 0, 600, 850] }),
        );
        const before = context.register(context.stream("q"));
        const after = context.register(context.stream("Q q 1 0 0 1 0 0 cm /Mark Do Q"));
        for (const { node } of document.getPages()) {
          const resources = node.Resources() ?? context.obj({});
          const forms = resources.lookupMaybe(PDFName.of("XObject"), PDFDict) ?? context.obj({});
          forms.set(PDFName.of("Mark"), form);
          resources.set(PDFName.of("XObject"), forms);
          node.set(PDFName.of("Resources"), resources);
          node.set(PDFName.of("Contents"), context.obj([before, node.get(PDFName.of("Contents"))!, after]));
        }
        return (await document.save({ updateFieldAppearances: false })).length;
      };
    },
  },
  {
    name: "@cantoo/pdf-lib",
    prepare: async () => drawTextWith((await import("@cantoo/pdf-lib")) as unknown as typeof import("pdf-lib")),
  },
  {
    name: "@libpdf/core",
    async prepare() {
      const { PDF, StandardFonts } = await import("@libpdf/core");
      return async (pdf) => {
        const document = await PDF.load(pdf);
        for (const page of document.getPages())
          page.drawText(TEXT, { x: 100, y: 150, size: 60, font: StandardFonts.HelveticaBold, opacity: 0.3 });
        return (await document.save()).length;
      };
    },
  },
  {
    name: "mupdf (wasm)",
    async prepare() {
      const mupdf = await import("mupdf");
      return async (pdf) => {
        const document = mupdf.PDFDocument.openDocument(pdf, "application/pdf") as InstanceType<
          typeof mupdf.PDFDocument
        >;
        const form = document.addStream("0.7 g 100 100 300 300 re f", {
          Type: "XObject",
          Subtype: "Form",
          BBox: [0, 0, 600, 850],
        });
        const before = document.addStream("q", {}),
          after = document.addStream("Q q /Mark Do Q", {});
        const pages = document.countPages();
        for (let index = 0; index < pages; index++) {
          const page = document.findPage(index);
          const resources = page.get("Resources");
          if (!resources.get("XObject").isDictionary()) resources.put("XObject", document.newDictionary());
          resources.get("XObject").put("Mark", form);
          page.put("Contents", [before, page.get("Contents"), after]);
        }
        const length = document.saveToBuffer("").getLength();
        document.destroy();
        return length;
      };
    },
  },
  native("qpdf --overlay", "qpdf", (source, mark, output) => [source, "--overlay", mark, "--repeat=1", "--", output]),
  native("mutool run", "mutool", (source, _, output, script) => ["run", script, source, output]),
];

/** Returns a function that marks a PDF with our engine, which is loaded from the sources or from the npm package. */
async function markImageWith({ watermark }: Pick<typeof import("../src/engine/index.ts"), "watermark">) {
  const { RED_PNG } = await import("../test/support/png.ts");
  return async (pdf: Uint8Array) => {
    let length = 0;
    for await (const chunk of (await watermark(pdf, { image: RED_PNG })).chunks()) length += chunk.length;
    return length;
  };
}

/** Returns a function that marks a PDF with pdf-lib, or with a fork of pdf-lib that has the same interface. */
function drawTextWith({ degrees, PDFDocument, StandardFonts }: typeof import("pdf-lib")) {
  return async (pdf: Uint8Array) => {
    const document = await PDFDocument.load(pdf);
    const font = await document.embedFont(StandardFonts.HelveticaBold);
    for (const page of document.getPages())
      page.drawText(TEXT, { x: 100, y: 150, size: 60, font, opacity: 0.3, rotate: degrees(55) });
    return (await document.save()).length;
  };
}

const MUTOOL_SCRIPT = `
var document = new PDFDocument(scriptArgs[0]);
var form = document.addStream("0.7 g 100 100 300 300 re f", {Type: "XObject", Subtype: "Form", BBox: [0, 0, 600, 850]});
var before = document.addStream("q", {}), after = document.addStream("Q q /Mark Do Q", {});
var n = document.countPages();
for (var i = 0; i < n; ++i) {
  var page = document.findPage(i);
  var resources = page.get("Resources");
  var forms = resources.get("XObject");
  if (!forms || !forms.isDictionary()) { forms = document.newDictionary(); resources.put("XObject", forms); }
  forms.put("Mark", form);
  page.put("Contents", [before, page.get("Contents"), after]);
}
document.save(scriptArgs[1], "");
`;

function native(
  name: string,
  program: string,
  args: (source: string, mark: string, output: string, script: string) => string[],
): Engine {
  return {
    name,
    native: true,
    available: () => spawnSync(program, ["--version"], { stdio: "ignore" }).error === undefined,
    async prepare() {
      const { onePage } = await import("../test/support/pdf.ts");
      return async (pdf) => {
        const dir = mkdtempSync(join(tmpdir(), "overprint-bench-"));
        const [source, mark, output, script] = ["source.pdf", "mark.pdf", "output.pdf", "mark.js"].map((file) =>
          join(dir, file),
        ) as [string, string, string, string];
        try {
          writeFileSync(source, pdf);
          writeFileSync(mark, onePage);
          writeFileSync(script, MUTOOL_SCRIPT);
          execFileSync(program, args(source, mark, output, script), { stdio: "ignore" });
          return readFileSync(output).length;
        } finally {
          rmSync(dir, { recursive: true, force: true });
        }
      };
    },
  };
}
