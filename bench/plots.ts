/**
 * `npm run bench:plots` draws the pictures of `docs/performance/` from the results in that folder, and rewrites the
 * tables of `docs/performance.md` and `README.md`. Benchmarks save their results with `-- --save`.
 */
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as Plot from "@observablehq/plot";
import { COLORS, lines, OUR_COLOR, picture, plotted, type Series } from "./picture.ts";
import { OURS, sectionsOf, withSections } from "./report.ts";
import type { Marked, Results } from "./results.ts";

const docs = join(import.meta.dirname, "../docs");
const WIDE = { width: 760, height: 420 };
const HALF = { width: 500, height: 340 };
const NAMES: (keyof Results)[] = ["engines", "pages", "call", "latency", "load", "soak"];

const results: Partial<Results> = {};
for (const name of NAMES) {
  const path = join(docs, `performance/${name}.json`);
  if (existsSync(path)) Object.assign(results, { [name]: JSON.parse(await readFile(path, "utf8")) });
}

/**
 * Returns one line of a plot per engine. A line omits a file if the engine failed on the file or made the file smaller.
 */
function engineSeries(
  { files }: Results["pages"],
  of: keyof Omit<Marked, "name">,
  unit: number,
  x: (file: Results["pages"]["files"][number]) => number,
): Series[] {
  return files[0]!.engines
    .map(({ name }, index): Series => {
      const points = files.flatMap((file) => {
        const y = file.engines.find((engine) => engine.name === name)?.[of];
        return y && y > 0 ? [{ x: x(file), y: y / unit }] : [];
      });
      const color = name === OURS ? OUR_COLOR : COLORS[index === 0 ? 1 : index]!;
      return { name, color, points, isOurs: name === OURS, isDashed: name === "copy" };
    })
    .filter(({ points }) => points.length > 1);
}

const pages = { type: "log", label: "pages", ticks: 5 } as const;

/** Creates a picture that consists of one line plot. */
function wide(series: Series[], axes: Pick<Parameters<typeof lines>[1], "x" | "y">) {
  return { plots: [lines(series, { ...WIDE, ...axes })], size: WIDE };
}

/** The functions that draw the pictures, by the name of the picture. */
const DRAWN: {
  [file: string]: (results: Required<Results>) => { plots: ReturnType<typeof lines>[]; size: typeof WIDE };
} = {
  pages: ({ pages: measured }) =>
    wide(
      engineSeries(measured, "ms", 1, (file) => file.pages),
      { x: pages, y: { type: "log", label: "milliseconds" } },
    ),
  memory: ({ pages: measured }) =>
    wide(
      engineSeries(measured, "peakMb", 1, (file) => file.bytes / 1e6),
      { x: { type: "log", label: "file size, MB", ticks: 4 }, y: { type: "log", label: "peak MB" } },
    ),
  growth: ({ pages: measured }) =>
    wide(
      engineSeries(measured, "addedBytes", 1000, (file) => file.pages),
      { x: pages, y: { type: "log", label: "KB added" } },
    ),
  texts: ({ pages: { texts } }) => ({
    plots: [
      lines(
        [...new Set(texts.map(({ script }) => script))].map((script, index) => ({
          ...{ name: script, color: COLORS[index]! },
          points: texts
            .filter((text) => text.script === script)
            .map(({ characters, addedBytes }) => ({ x: characters, y: addedBytes })),
        })),
        { ...WIDE, height: 320, x: { label: "characters" }, y: { label: "bytes added", zero: true } },
      ),
    ],
    size: { ...WIDE, height: 320 },
  }),
  call: ({ call: { files: call } }) => {
    const size = { width: 760, height: 110 + 44 * call.length };
    const both = call.flatMap(({ input, callCpuMs, floorCpuMs }) => [
      { input, ms: callCpuMs, color: OUR_COLOR },
      { input, ms: floorCpuMs, color: COLORS[1]! },
    ]);
    const plot = plotted({
      ...size,
      ...{ marginLeft: 260, marginRight: 60, marginTop: 40, marginBottom: 40, inset: 8 },
      x: {
        type: "log",
        label: "milliseconds of CPU",
        tickFormat: ",",
        labelAnchor: "center",
        labelArrow: "none",
        ticks: 5,
      },
      y: { label: null, domain: call.map(({ input }) => input) },
      color: { type: "identity" },
      marks: [
        Plot.gridX({ stroke: "var(--rule)", strokeOpacity: 1 }),
        Plot.ruleY(call, { y: "input", x1: "floorCpuMs", x2: "callCpuMs", stroke: "currentColor", strokeWidth: 2 }),
        Plot.dot(both, { y: "input", x: "ms", fill: "color", r: 7 }),
        Plot.text(call, {
          y: "input",
          x: "callCpuMs",
          text: ({ ratio }) => `x ${ratio.toFixed(2)}`,
          dx: 14,
          textAnchor: "start",
        }),
        Plot.text(call.slice(0, 1), {
          y: "input",
          x: "floorCpuMs",
          text: () => "storing and copying",
          dy: -18,
          textAnchor: "end",
        }),
        Plot.text(call.slice(0, 1), {
          y: "input",
          x: "callCpuMs",
          text: () => "whole call",
          dy: -18,
          textAnchor: "start",
        }),
      ],
    });
    return { plots: [plot], size };
  },
  latency: ({ latency: { calls } }) => {
    const size = { width: 760, height: 110 + 44 * calls.length };
    const of = (ms: "addsMs" | "waitMs", color: string) =>
      calls.map(({ name, [ms]: value }) => ({ name, value, color }));
    const shown = [...of("waitMs", COLORS[1]!), ...of("addsMs", OUR_COLOR)].filter(({ value }) => value > 0);
    const plot = plotted({
      ...size,
      ...{ marginLeft: 260, marginRight: 70, marginTop: 40, marginBottom: 40, inset: 8 },
      x: { type: "log", label: "milliseconds", tickFormat: ",", labelAnchor: "center", labelArrow: "none", ticks: 5 },
      y: { label: null, domain: calls.map(({ name }) => name) },
      color: { type: "identity" },
      marks: [
        Plot.gridX({ stroke: "var(--rule)", strokeOpacity: 1 }),
        Plot.dot(shown, { y: "name", x: "value", fill: "color", r: 7 }),
        Plot.text(
          calls.filter(({ addsMs }) => addsMs > 0),
          { y: "name", x: "addsMs", text: ({ addsMs }) => `${addsMs.toFixed(0)} ms`, dx: 14, textAnchor: "start" },
        ),
      ],
    });
    return { plots: [plot], size };
  },
  load: ({ load: { levels } }) => {
    const ticks = levels.map(({ connections }) => connections);
    const x = { type: "log", base: 2, label: "concurrent callers", ticks, tickFormat: "d" } as const;
    const of = (value: "perSecond" | "p50Ms" | "p99Ms") =>
      levels.flatMap(({ connections, [value]: y }) => (y === null ? [] : [{ x: connections, y }]));
    return {
      plots: [
        lines([{ name: "results per second", color: OUR_COLOR, points: of("perSecond"), isOurs: true }], {
          ...{ ...HALF, x, y: { label: "results per second", zero: true } },
        }),
        lines(
          [
            { name: "99th percentile", color: COLORS[1]!, points: of("p99Ms") },
            { name: "median", color: OUR_COLOR, points: of("p50Ms"), isOurs: true },
          ],
          { ...HALF, x, y: { type: "log", label: "waiting time, milliseconds" } },
        ),
      ],
      size: HALF,
    };
  },
  soak: ({ soak: { rounds } }) => {
    const size = { ...WIDE, height: 300 };
    const of = (value: "aliveMb" | "residentMb") => rounds.map((round) => ({ x: round.calls, y: round[value] }));
    return {
      plots: [
        lines(
          [
            { name: "process workerd", color: COLORS[1]!, points: of("residentMb") },
            { name: "live memory of the isolate", color: OUR_COLOR, points: of("aliveMb"), isOurs: true },
          ],
          { ...size, x: { label: "calls so far" }, y: { label: "MB", zero: true } },
        ),
      ],
      size,
    };
  },
};

const sections = sectionsOf(results);
for (const { pictures } of Object.values(sections))
  for (const [file, words] of Object.entries(pictures)) {
    const { plots, size } = DRAWN[file]!(results as Required<Results>);
    await writeFile(join(docs, `performance/${file}.svg`), picture(words, plots, size));
    console.log(`docs/performance/${file}.svg`);
  }
for (const name of ["docs/performance.md", "README.md"]) {
  const document = join(docs, "..", name);
  await writeFile(document, withSections(await readFile(document, "utf8"), sections));
  console.log(name);
}
