import * as Plot from "@observablehq/plot";
import { parseHTML } from "linkedom";
import type { Picture } from "./report.ts";

/** The parts of a browser's DOM that Plot and this file use. The Worker's types do not include the DOM. */
interface Node {
  setAttribute(name: string, value: string): void;
  append(...nodes: (Node | string)[]): void;
  querySelector(selector: string): { remove(): void } | null;
  outerHTML: string;
}
const { document } = parseHTML("<html></html>") as unknown as {
  document: { createElementNS(namespace: string, name: string): Node };
};
const SVG = "http://www.w3.org/2000/svg";

/** Line colors that are visible on white and on black. The first color is for our engine. */
export const COLORS = [
  "#d6336c",
  "#1c7ed6",
  "#2f9e44",
  "#e8590c",
  "#7950f2",
  "#0c8599",
  "#a0700f",
  "#868e96",
  "#9c36b5",
];
export const OUR_COLOR = COLORS[0]!;

/** Style of a picture. It paints a background, because a picture does not know the theme of the page that shows it. */
const STYLE = `
svg { --ink: #1f2328; --paper: #ffffff; --rule: #d8dee4; color: var(--ink); font: 12px system-ui, sans-serif; }
@media (prefers-color-scheme: dark) { svg { --ink: #e6edf3; --paper: #0d1117; --rule: #30363d; } }
.paper { fill: var(--paper); }
.title { font-size: 16px; font-weight: 600; fill: var(--ink); }
text { fill: var(--ink); }
`;

/** Creates an SVG element. */
export function element(name: string, attributes: Record<string, string | number>, ...inside: (Node | string)[]): Node {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.append(...inside);
  return made;
}

/** A line of a plot. Its name is written at the end of the line. */
export interface Series {
  name: string;
  color: string;
  points: { x: number; y: number }[];
  isOurs?: boolean;
  isDashed?: boolean;
}

/** The size of a plot within its picture, in pixels, and its axes. */
interface Frame {
  width: number;
  height: number;
  x: Plot.ScaleOptions;
  y: Plot.ScaleOptions;
}

/** Minimum distance between two lines of text, in pixels. */
const LINE_PX = 15;
const LETTER_PX = 7;
const MARGINS = { marginTop: 30, marginLeft: 56, marginBottom: 40 };

const inFull = (value: number) => value.toLocaleString("en", { maximumFractionDigits: 3 });

/** Plots lines, with their names on the right. Names that would overlap are moved apart. */
export function lines(series: Series[], { width, height, x, y }: Frame): Node {
  const marginRight = 32 + LETTER_PX * Math.max(...series.map(({ name }) => name.length));
  const rule = { stroke: "var(--rule)", strokeOpacity: 1 };
  const plot = Plot.plot({
    ...({ document } as object),
    ...{ width, height, inset: 6, ...MARGINS, marginRight },
    x: { labelAnchor: "center", labelArrow: "none", tickFormat: inFull, ...x },
    y: { labelArrow: "none", ticks: 5, tickFormat: inFull, ...y },
    marks: [
      Plot.gridX(rule),
      Plot.gridY(rule),
      ...series.flatMap(({ points, color, isOurs, isDashed }) => [
        Plot.line(points, {
          ...{ x: "x", y: "y", stroke: color, strokeWidth: isOurs ? 3.5 : 1.75, marker: "dot" },
          ...(isDashed && { strokeDasharray: "3 4" }),
        }),
      ]),
    ],
  }) as unknown as Node & Plot.Plot;
  // Plot's own style is made for web pages, and would override the size of the plot in the picture
  plot.querySelector("style")?.remove();

  const at = (scale: "x" | "y", value: number) => plot.scale(scale)!.apply(value) as number;
  const labels = series
    .filter(({ points }) => points.length > 0)
    .map((one) => ({ one, end: one.points.at(-1)!, y: at("y", one.points.at(-1)!.y) }))
    .toSorted((a, b) => a.y - b.y);
  for (let index = 0, limit = 0; index < labels.length; index++) {
    labels[index]!.y = Math.max(labels[index]!.y, limit);
    limit = labels[index]!.y + LINE_PX;
  }
  for (let index = labels.length - 1, limit = height - MARGINS.marginBottom; index >= 0; index--) {
    labels[index]!.y = Math.min(labels[index]!.y, limit);
    limit = labels[index]!.y - LINE_PX;
  }
  for (const { one, end, y: to } of labels) {
    const left = width - marginRight + 22;
    const points = [`${at("x", end.x)},${at("y", end.y)}`, `${left - 12},${to}`, `${left - 4},${to}`].join(" ");
    plot.append(
      element("polyline", { points, fill: "none", stroke: one.color, "stroke-width": 1, "stroke-opacity": 0.6 }),
      element(
        "text",
        { x: left, y: to + 4, "text-anchor": "start", ...(one.isOurs && { "font-weight": 700 }) },
        one.name,
      ),
    );
  }
  return plot;
}

/** Draws a plot from options of Plot, without Plot's style sheet. The surrounding picture defines the style. */
export function plotted(options: Plot.PlotOptions): Node {
  const plot = Plot.plot({ ...({ document } as object), ...options }) as unknown as Node;
  plot.querySelector("style")?.remove();
  return plot;
}

/** Arranges plots side by side under a heading. Returns the text of an SVG file. */
export function picture(
  { title, description }: Picture,
  plots: Node[],
  size: { width: number; height: number },
): string {
  const [margin, heading] = [16, 44];
  const width = plots.length * size.width + 2 * margin;
  const height = size.height + heading + margin;
  const all = element(
    "svg",
    {
      xmlns: SVG,
      viewBox: `0 0 ${width} ${height}`,
      width,
      height,
      role: "img",
      "aria-labelledby": "title description",
    },
    element("title", { id: "title" }, title),
    element("desc", { id: "description" }, description),
    element("style", {}, STYLE),
    element("rect", { class: "paper", width, height, rx: 8 }),
    element("text", { class: "title", x: margin + 8, y: 30 }, title),
  );
  for (const [index, plot] of plots.entries()) {
    plot.setAttribute("x", String(margin + index * size.width));
    plot.setAttribute("y", String(heading));
    plot.setAttribute("aria-hidden", "true");
    plot.setAttribute("font-size", "12");
    all.append(plot);
  }
  return `${all.outerHTML}\n`;
}
