import type { EmbeddedFont } from "../fonts/embed.ts";
import type { Cluster } from "../fonts/layout.ts";
import type { ObjectSink } from "../pdf/newObject.ts";
import { EMBOLDENING, strokeAround } from "./block.ts";
import { addForm, type Drawing, deviceColors, type Rectangle } from "./form.ts";
import type { Look } from "./look.ts";
import { number, numbers, rgb } from "./operators.ts";

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
): Drawing {
  const color = rgb(look.color);
  const font = `/Font<</F ${embedded.ref}>>`;
  const resources = font + deviceColors("RGB");
  const text = (mode: Mode) => textObject(runs, embedded, look, mode);
  const content = [`${color} rg`, ...(frame || isEmboldened(runs) ? [`${color} RG`] : []), ...(frame ? [frame] : [])];
  if (!look.hollow) return { box, resources, content: [...content, text("fill")].join("\n") };

  // Letters may overlap their neighbours and themselves. A soft mask of the stroked letters minus their inside has no
  // lines at overlaps. The text itself, for copying and searching, is invisible (ISO 32000-2, 9.3.6, 11.6.5). Some
  // readers find the mask's text as well, so it has an empty ActualText (14.9.4).
  const mask = addForm(
    sink,
    {
      box,
      resources: font + deviceColors("Gray"),
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

type Mode = "fill" | "stroke" | "invisible";

function textObject(runs: readonly ClusterRun[], embedded: EmbeddedFont, look: Look, mode: Mode): string {
  const lines = runs.map(
    ({ clusters, x, y }) => `1 0 0 1 ${number(x)} ${number(y)} Tm ${shown(clusters, embedded, mode)}`,
  );
  const around = mode === "stroke" ? strokeAround(look) : mode === "fill" && isEmboldened(runs) ? EMBOLDENING : 0;
  const stroke = around > 0 ? [`${number(2 * around * UNITS_PER_EM)} w 1 j`] : [];
  const rendering = { fill: [], stroke: ["2 Tr"], invisible: ["3 Tr"] }[mode];
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
