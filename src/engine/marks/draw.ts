import type { EmbeddedFont } from "../fonts/embed.ts";
import type { Cluster } from "../fonts/layout.ts";
import { avoidsTransparency, type ObjectSink } from "../pdf/document/newObject.ts";
import { glyphText, hideFromExtraction } from "./actualText.ts";
import type { Appearance } from "./appearance.ts";
import { EMBOLDENING, type FrameStroke, strokeAround } from "./block.ts";
import { addForm, type Drawing, type Rectangle } from "./form.ts";
import type { Ink } from "./ink.ts";
import { number, numbers } from "./operators.ts";

/** Units per em in the space of a drawing. The matrix that places the drawing sets the real font size. */
export const UNITS_PER_EM = 100;

/** Clusters of one line that are drawn together, and the origin of the first cluster, in units of the drawing. */
interface ClusterRun {
  readonly clusters: readonly Cluster[];
  readonly x: number;
  readonly y: number;
}

/** Text to draw within `box`, in units of the drawing. The light edge and the frame have widths in em. */
export interface TextDrawing {
  readonly runs: readonly ClusterRun[];
  readonly box: Rectangle;
  readonly edge: number;
  readonly frame?: FrameStroke | undefined;
  /** Whether this text is an echo, which text extraction must not find. See the class `TextMarks`. */
  readonly isEcho?: boolean | undefined;
  /**
   * The digit, if the drawing is one digit of a page number. The /ActualText of the digit keeps text extraction from
   * adding spaces between digits.
   */
  readonly digit?: string | undefined;
}

/**
 * Draws text, over its light edge if the text has an edge. The edges of all letters are drawn first, because letters of
 * many scripts touch their neighbors. The edge and the letters are separate text objects. Text extraction finds the
 * text only once.
 */
export function drawText(
  sink: ObjectSink,
  drawing: TextDrawing,
  embedded: EmbeddedFont,
  appearance: Appearance,
  ink: Ink,
): Drawing {
  if (appearance.isHollow && !avoidsTransparency(sink)) return drawHollow(sink, drawing, embedded, appearance, ink);
  const { runs, box, edge, frame, isEcho = false, digit } = drawing;
  const isDrawnTwice = edge > 0;
  const isDigit = isDrawnTwice && !isEcho && digit !== undefined;
  const letters = (mode: Mode, strokeEm: number) => {
    const shown = textObject(runs, embedded, mode, strokeEm, isDrawnTwice || isEcho);
    return isDrawnTwice && !isDigit ? hideFromExtraction(shown) : shown;
  };
  const bolder = isEmboldened(runs) ? EMBOLDENING : 0;
  const content: string[] = [];
  if (isDrawnTwice) {
    const frameEdge = frame ? [strokeFrame(box, frame, edge)] : [];
    const width = appearance.isHollow ? strokeAround(appearance) : 2 * bolder;
    const light = textObject(runs, embedded, "outline", width + 2 * edge, isEcho);
    content.push(ink.edge.stroke, ...frameEdge, light);
  }
  // Hollow letters are drawn without a soft mask here, so their outlines are visible where letters overlap.
  if (appearance.isHollow) content.push(ink.stroke, letters("outline", strokeAround(appearance)));
  else {
    content.push(ink.fill);
    if (frame || bolder > 0) content.push(ink.stroke);
    if (frame) content.push(strokeFrame(box, frame, 0));
    content.push(letters("fill", 2 * bolder));
  }
  const operators = isDigit ? glyphText(digit, ...content) : content.join("\n");
  return { box, resources: `${fontOf(embedded)}${ink.resources}`, content: operators };
}

/**
 * Draws hollow letters, whose strokes may overlap. A soft mask hides the lines at overlaps: it shows the stroked
 * letters without the inside of the letters. The text is also drawn invisibly, so that readers can copy and search it
 * (ISO 32000-2, 9.3.6, 11.6.5).
 */
function drawHollow(
  sink: ObjectSink,
  { runs, box, edge, isEcho = false }: TextDrawing,
  embedded: EmbeddedFont,
  appearance: Appearance,
  ink: Ink,
): Drawing {
  sink.uses?.add("transparency");
  const around = (widthEm: number) => {
    const letters = (mode: Mode, strokeEm: number) => textObject(runs, embedded, mode, strokeEm, true);
    const content = hideFromExtraction("1 g 1 G", letters("stroke", 2 * widthEm), "0 g", letters("fill", 0));
    const entries = "/Group<</S/Transparency/I true/CS/DeviceGray>>";
    return `<</SMask<</S/Luminosity/G ${addForm(sink, { box, resources: fontOf(embedded), content }, entries)}>>>>`;
  };
  const [left, bottom, right, top] = box;
  const everywhere = `${numbers([left, bottom, right - left, top - bottom])} re f`;

  const width = strokeAround(appearance);
  const states = [`/Hollow${around(width)}`];
  const content = [ink.fill, `q /Hollow gs ${everywhere} Q`, textObject(runs, embedded, "invisible", 0, isEcho)];
  if (edge > 0) {
    states.push(`/Edge${around(width + edge)}`);
    content.unshift(ink.edge.fill, `q /Edge gs ${everywhere} Q`);
  }
  return {
    box,
    resources: `${fontOf(embedded)}${ink.resources}/ExtGState<<${states.join("")}>>`,
    content: content.join("\n"),
  };
}

function fontOf(embedded: EmbeddedFont): string {
  return `/Font<</F ${embedded.ref}>>`;
}

/**
 * Returns operators that draw a frame just inside the sides of a box. Lengths are in units of the drawing.
 * @param around extra line width on each side in em, for the light edge of the frame
 */
function strokeFrame([, , width, height]: Rectangle, frame: FrameStroke, around: number): string {
  const inset = frame.inset * UNITS_PER_EM;
  const sides = [inset, inset, width - 2 * inset, height - 2 * inset];
  return `${number((frame.width + 2 * around) * UNITS_PER_EM)} w 1 j ${numbers(sides)} re S`;
}

function isEmboldened(runs: readonly ClusterRun[]): boolean {
  return runs.some(({ clusters }) => clusters.some(({ face }) => face.file.embolden));
}

/** Text rendering modes (ISO 32000-2, 9.3.6). */
const RENDERING = { fill: 0, outline: 1, stroke: 2, invisible: 3 };
type Mode = keyof typeof RENDERING;

function textObject(
  runs: readonly ClusterRun[],
  embedded: EmbeddedFont,
  mode: Mode,
  strokeEm: number,
  isEcho: boolean,
): string {
  const lines = runs.map(
    ({ clusters, x, y }) => `1 0 0 1 ${number(x)} ${number(y)} Tm ${showOperators(clusters, embedded, mode, isEcho)}`,
  );
  const stroke = strokeEm > 0 ? [`${number(strokeEm * UNITS_PER_EM)} w 1 j`] : [];
  return ["BT", `/F ${UNITS_PER_EM} Tf`, ...stroke, `${RENDERING[mode]} Tr`, ...lines, "ET"].join("\n");
}

/**
 * Returns operators that show the clusters of one line with kerning. Glyphs of a font that is too light are also
 * stroked.
 */
function showOperators(clusters: readonly Cluster[], embedded: EmbeddedFont, mode: Mode, isEcho: boolean): string {
  const operators: string[] = [];
  let emboldened = false;
  let array = "";
  let codes = "";
  let pen = clusters[0]?.x ?? 0;

  const endCodes = () => {
    if (codes) array += `<${codes}>`;
    codes = "";
  };
  const endArray = () => {
    endCodes();
    if (array) operators.push(`[${array}] TJ`);
    array = "";
  };

  for (const cluster of clusters) {
    const bolder = mode === "fill" && cluster.face.file.embolden;
    if (bolder !== emboldened) {
      endArray();
      operators.push(bolder ? "2 Tr" : "0 Tr");
      emboldened = bolder;
    }
    // numbers in a TJ array are thousandths of an em, and positive numbers move to the left
    const back = Math.round((pen - cluster.x) * 1000);
    if (back !== 0) {
      endCodes();
      array += back;
      pen -= back / 1000;
    }
    codes += isEcho ? embedded.echoOf(cluster) : embedded.codeOf(cluster);
    pen += embedded.widthOf(cluster);
  }
  endArray();
  if (emboldened) operators.push("0 Tr");
  return operators.join(" ");
}
