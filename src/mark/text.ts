import { type EmbeddedFont, embedSubset } from "../fonts/embed.ts";
import { encodeLine } from "../fonts/layout.ts";
import { loadFont } from "../fonts/library.ts";
import type { Font } from "../fonts/truetype.ts";
import type { PdfDocument } from "../pdf/document.ts";
import type { TextRequest } from "../schemas.ts";
import { type Fit, fitText } from "./fit.ts";
import { type Drawing, makeMark } from "./form.ts";
import { diagonalAngle, displayedSize, marginOn, placeAt, type Size, tile } from "./geometry.ts";
import { number, rgb } from "./operators.ts";
import { layOver } from "./stamp.ts";
import { type Look, lookOf } from "./templates.ts";

/** Marks are drawn at this many units to the em, and scaled where they are placed. */
const UNITS_PER_EM = 100;
/** All in em. */
const LEADING = 1.25;
const FRAME_PADDING = 0.35;
const FRAME_WIDTH = 0.08;
const HOLLOW_STROKE = 0.03;

/**
 * Lays a text over every page. The font is embedded once, and each way the text is broken into lines is drawn once,
 * however many pages and sizes of page there are.
 * @throws Problem unsupported_character
 */
export async function markWithText(document: PdfDocument, request: TextRequest, assets: Fetcher): Promise<void> {
  const look = lookOf(request);
  const font = await loadFont(assets, look.weight);
  const measure = (text: string) => encodeLine(font, text).widthEm;
  const embedded = embedSubset(document, font, encodeLine(font, request.text.replaceAll("\n", "")).glyphs);

  const fits = new Map<string, Fit>();
  const fitOn = (page: Size): Fit => {
    const key = `${page.width}x${page.height}`;
    let fit = fits.get(key);
    if (!fit) {
      fit = fitText(request.text, measure, {
        page,
        rotation: look.rotation ?? diagonalAngle(page),
        marginPt: marginOn(page, request.margin),
        maxFontSizePt: request.font_size ?? look.sizeShare * Math.min(page.width, page.height),
        blockEm: (lines) => blockEm(lines, font, measure, look),
      });
      fits.set(key, fit);
    }
    return fit;
  };

  layOver(document, (page) => {
    const shown = displayedSize(page);
    const { lines, fontSizePt } = fitOn(shown);
    const rotation = look.rotation ?? diagonalAngle(shown);
    const size = inUnits(blockEm(lines, font, measure, look));
    const scale = fontSizePt / UNITS_PER_EM;
    return {
      key: lines.join("\n"),
      mark: () => makeMark(document, draw(lines, font, embedded, look), request.opacity),
      matrices:
        look.position === "tile"
          ? tile(size, scale, rotation, shown)
          : [placeAt(look.position, size, scale, rotation, shown, marginOn(shown, request.margin))],
    };
  });
}

/** The size of a block of lines, by the font's own ascent and descent. */
function blockEm(lines: readonly string[], font: Font, measure: (text: string) => number, look: Look): Size {
  const frame = look.framed ? 2 * FRAME_PADDING : 0;
  return {
    width: Math.max(...lines.map(measure)) + frame,
    height: (font.ascent - font.descent) / font.unitsPerEm + (lines.length - 1) * LEADING + frame,
  };
}

function inUnits({ width, height }: Size): Size {
  return { width: width * UNITS_PER_EM, height: height * UNITS_PER_EM };
}

function draw(lines: readonly string[], font: Font, embedded: EmbeddedFont, look: Look): Drawing {
  const size = inUnits(blockEm(lines, font, (text) => encodeLine(font, text).widthEm, look));
  const frame = look.framed ? FRAME_PADDING * UNITS_PER_EM : 0;
  const first = size.height - frame - (font.ascent / font.unitsPerEm) * UNITS_PER_EM;

  const shown = lines.map((line, index) => {
    const { glyphs, widthEm } = encodeLine(font, line);
    const x = (size.width - widthEm * UNITS_PER_EM) / 2,
      y = first - index * LEADING * UNITS_PER_EM;
    return `1 0 0 1 ${number(x)} ${number(y)} Tm <${glyphs.map(({ id }) => embedded.codeOf(id)).join("")}> Tj`;
  });
  const color = rgb(look.color);
  return {
    ...size,
    bleed: UNITS_PER_EM / 2,
    resources: `/Font << /F ${embedded.ref} >>`,
    content: [
      `${color} rg ${color} RG`,
      ...(look.framed ? [frameAround(size)] : []),
      "BT",
      `/F ${UNITS_PER_EM} Tf`,
      ...(look.hollow ? [`1 Tr ${number(HOLLOW_STROKE * UNITS_PER_EM)} w 1 j`] : []),
      ...shown,
      "ET",
    ].join("\n"),
  };
}

function frameAround({ width, height }: Size): string {
  const line = FRAME_WIDTH * UNITS_PER_EM;
  return `${number(line)} w 1 j ${[line / 2, line / 2, width - line, height - line].map(number).join(" ")} re S`;
}
