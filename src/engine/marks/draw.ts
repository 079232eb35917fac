import type { EmbeddedFont } from "../fonts/embed.ts";
import type { Cluster } from "../fonts/layout.ts";
import type { ObjectSink } from "../pdf/newObject.ts";
import { allowsTransparency } from "../pdf/pdfa.ts";
import { EMBOLDENING, strokeAround } from "./block.ts";
import { addForm, type Drawing, type Rectangle } from "./form.ts";
import type { Ink } from "./ink.ts";
import type { Look } from "./look.ts";
import { number, numbers } from "./operators.ts";

/** Marks are drawn at this many units per em, and scaled when they are placed. */
export const UNITS_PER_EM = 100;

/** Clusters of one line that are drawn together, and the origin of the first one, in units. */
export interface ClusterRun {
  readonly clusters: readonly Cluster[];
  readonly x: number;
  readonly y: number;
}

/** Draws text within `box`, in units; the operators of `frame` are drawn beneath it. */
export function drawText(
  sink: ObjectSink,
  { runs, box, frame = "" }: { runs: readonly ClusterRun[]; box: Rectangle; frame?: string },
  embedded: EmbeddedFont,
  look: Look,
  ink: Ink,
): Drawing {
  const font = `/Font<</F ${embedded.ref}>>`;
  const resources = font + ink.resources;
  const text = (mode: Mode) => textObject(runs, embedded, look, mode);
  const content = [ink.fill, ...(frame || isEmboldened(runs) ? [ink.stroke] : []), ...(frame ? [frame] : [])];
  if (!look.hollow) return { box, resources, content: [...content, text("fill")].join("\n") };
  // Where there may be no soft mask, lines at overlaps are the lesser evil.
  if (!allowsTransparency(sink.pdfa)) return { box, resources, content: [ink.stroke, text("outline")].join("\n") };

  // Letters may overlap their neighbours and themselves. A soft mask of the stroked letters minus their inside has no
  // lines at overlaps. The text itself, for copying and searching, is invisible (ISO 32000-2, 9.3.6, 11.6.5). Some
  // readers find the mask's text as well, so it has an empty ActualText (14.9.4).
  sink.uses?.add("transparency");
  const mask = addForm(
    sink,
    {
      box,
      resources: font,
      content: `/Span<</ActualText()>>BDC\n1 g 1 G\n${text("stroke")}\n0 g\n${text("fill")}\nEMC`,
    },
    "/Group<</S/Transparency/I true/CS/DeviceGray>>",
  );
  const [left, bottom, right, top] = box;
  return {
    box,
    resources: `${resources}/ExtGState<</Hollow<</SMask<</S/Luminosity/G ${mask}>>>>>>`,
    content: [
      ...content,
      `q /Hollow gs ${numbers([left, bottom, right - left, top - bottom])} re f Q`,
      text("invisible"),
    ].join("\n"),
  };
}

/** Returns operators that draw the frame of a block, in units; `inset` is the distance to the line's centre. */
export function drawFrame(width: number, height: number, inset: number, line: number): string {
  const sides = [inset, inset, width - 2 * inset, height - 2 * inset];
  return `${number(line)} w 1 j ${numbers(sides)} re S`;
}

function isEmboldened(runs: readonly ClusterRun[]): boolean {
  return runs.some(({ clusters }) => clusters.some(({ face }) => face.file.embolden));
}

type Mode = "fill" | "stroke" | "outline" | "invisible";

function textObject(runs: readonly ClusterRun[], embedded: EmbeddedFont, look: Look, mode: Mode): string {
  const lines = runs.map(
    ({ clusters, x, y }) => `1 0 0 1 ${number(x)} ${number(y)} Tm ${shown(clusters, embedded, mode)}`,
  );
  const width = {
    fill: isEmboldened(runs) ? 2 * EMBOLDENING : 0,
    stroke: 2 * strokeAround(look),
    outline: strokeAround(look),
    invisible: 0,
  }[mode];
  const stroke = width > 0 ? [`${number(width * UNITS_PER_EM)} w 1 j`] : [];
  const rendering = { fill: [], stroke: ["2 Tr"], outline: ["1 Tr"], invisible: ["3 Tr"] }[mode];
  return ["BT", `/F ${UNITS_PER_EM} Tf`, ...stroke, ...rendering, ...lines, "ET"].join("\n");
}

/** Returns operators that show clusters of one line, kerned; those of a font that is too light are also stroked. */
function shown(clusters: readonly Cluster[], embedded: EmbeddedFont, mode: Mode): string {
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
    // TJ numbers are thousandths of an em, to the left
    const back = Math.round((pen - cluster.x) * 1000);
    if (back !== 0) {
      endCodes();
      array += back;
      pen -= back / 1000;
    }
    codes += embedded.codeOf(cluster);
    pen += embedded.widthOf(cluster);
  }
  endArray();
  if (emboldened) operators.push("0 Tr");
  return operators.join(" ");
}
