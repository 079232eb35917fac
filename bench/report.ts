import type { Load } from "./drive.ts";
import type { Marked, Results } from "./results.ts";

/** Returns counts as "2 x this, 1 x that". */
export const counted = (counts: Record<string, number>) =>
  Object.entries(counts)
    .map(([name, times]) => `${times} x ${name}`)
    .join(", ") || "-";

/** The columns of {@link loadCells}. */
export const loadHead = [
  "a second",
  "p50, ms",
  "p99, ms",
  "told to come back",
  "failed",
  "heap and buffers, MB",
  "workerd, MB",
];

/** Returns what came of calls as the cells of a table's row. */
export function loadCells({ perSecond, p50Ms, p99Ms, busy, failed, lost, heapMb, residentMb }: Load): string[] {
  const failures = lost > 0 ? { ...failed, "payment that bought nothing": lost } : failed;
  return [
    perSecond.toFixed(1),
    ...[p50Ms, p99Ms].map((ms) => ms?.toFixed(0) ?? "-"),
    ...[counted(busy), counted(failures)],
    ...[heapMb, residentMb].map((mb) => mb.toFixed(0)),
  ];
}

/** A picture of `docs/performance/`: its heading, and what it shows in words and figures, for those who do not see it. */
export interface Picture {
  title: string;
  description: string;
}

/** A part of `docs/performance.md` that is made of results: pictures by the name of their file, and tables. */
interface Section {
  pictures: Record<string, Picture>;
  tables: string[];
}

const table = (head: string[], rows: (string | number)[][]) =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
const stamp = ({ measured, machine }: { measured: string; machine: string }) => `Measured on ${measured}: ${machine}.`;
const whole = (value: number) => Math.round(value).toLocaleString("en");
/** Three digits, and the tenths of what is small. */
const short = (value: number | null) =>
  value === null ? "failed" : value < 10 ? value.toFixed(value < 1 ? 2 : 1) : whole(value);
const megabytes = (bytes: number) => (bytes < 1e6 ? `${short(bytes / 1000)} KB` : `${short(bytes / 1e6)} MB`);
const plural = (count: number, of: string) => `${whole(count)} ${of}${count === 1 ? "" : "s"}`;

/** The name of our engine among the others. */
export const OURS = "overprint";
const FLOOR = "copy";

/** Returns the milliseconds of our engine, and the fastest of the others that marked the file. */
function fastest(engines: Marked[]): { ours: number | null; best: Marked | undefined } {
  const peers = engines.filter(({ name, ms }) => ![OURS, FLOOR].includes(name) && ms !== null);
  const [best] = peers.toSorted((a, b) => a.ms! - b.ms!);
  return { ours: engines.find(({ name }) => name === OURS)?.ms ?? null, best };
}

/** Says what ours and the best of the others come to with one file. */
function against(engines: Marked[], of: "ms" | "peakMb" | "addedBytes", said: (value: number) => string): string {
  const ours = engines.find(({ name }) => name === OURS)?.[of];
  const peers = engines.filter((engine) => ![OURS, FLOOR].includes(engine.name) && (engine[of] ?? 0) > 0);
  const [best] = peers.toSorted((a, b) => a[of]! - b[of]!);
  const others = best ? `, the least of the others ${said(best[of]!)} (${best.name})` : ", and no other could";
  return `overprint ${ours == null ? "failed" : said(ours)}${others}`;
}

const MAKERS: { [Name in keyof Results]: (results: Results[Name]) => Record<string, Section> } = {
  engines: (results) => {
    const names = results.inputs[0]!.engines.map(({ name }) => name);
    const rows = (of: "ms" | "laterMs" | "peakMb", inputs = results.inputs) =>
      names.map((name) => [
        name === OURS ? `**${name}**` : name,
        ...inputs.map(({ engines }) => {
          const engine = engines.find((candidate) => candidate.name === name)!;
          return engine.ms !== null && engine[of] === null ? "" : short(engine[of]);
        }),
      ]);
    const head = (unit: string, inputs = results.inputs) => [unit, ...inputs.map(({ title }) => title)];
    const small = results.inputs.filter(({ engines }) => engines.find(({ name }) => name === OURS)!.laterMs !== null);
    return {
      engines: {
        pictures: {},
        tables: [
          stamp(results),
          table(head("milliseconds"), rows("ms")),
          table(head("milliseconds, after 1,000 runs", small), rows("laterMs", small)),
          table(head("MB at most"), rows("peakMb")),
        ],
      },
      speed: {
        pictures: {},
        tables: [
          table(
            ["file", "Overprint", "fastest other engine"],
            results.inputs.map(({ title, engines }) => {
              const { ours, best } = fastest(engines);
              return [title, `${short(ours)} ms`, best ? `${short(best.ms)} ms (${best.name})` : "every other failed"];
            }),
          ),
        ],
      },
    };
  },

  pages: (results) => {
    const { files, texts } = results;
    const told = (of: "ms" | "peakMb" | "addedBytes", said: (value: number) => string) =>
      [files[Math.min(1, files.length - 1)]!, files.at(-1)!]
        .map(({ pages, engines }) => `${plural(pages, "page")}: ${against(engines, of, said)}`)
        .join("; ");
    const lengths = [...new Set(texts.map(({ characters }) => characters))];
    const scripts = [...new Set(texts.map(({ script }) => script))];
    const added = (script: string) =>
      lengths.map((length) => texts.find((text) => text.script === script && text.characters === length)!.addedBytes);
    const most = scripts.map((script) => `${script} ${whole(Math.max(...added(script)))} bytes`).join(", ");
    return {
      pages: {
        pictures: {
          pages: {
            title: "Milliseconds to mark a file in memory, by its pages",
            description: `Both axes are logarithmic. ${told("ms", (ms) => `${short(ms)} ms`)}.`,
          },
        },
        tables: [stamp(results)],
      },
      memory: {
        pictures: {
          memory: {
            title: "Memory to mark a file, by its size",
            description: `Both axes are logarithmic. ${told("peakMb", (mb) => `${short(mb)} MB`)}.`,
          },
        },
        tables: [],
      },
      growth: {
        pictures: {
          growth: {
            title: "Bytes added to a file, by its pages",
            description: `Both axes are logarithmic; who compresses a file anew and makes it smaller is left out. ${told("addedBytes", megabytes)}.`,
          },
          texts: {
            title: "Bytes that a text adds, by its length",
            description: `To a file of one page, its font included. At most, with ${lengths[0]} to ${lengths.at(-1)} characters: ${most}.`,
          },
        },
        tables: [
          table(
            ["bytes added by a text of", ...lengths.map((length) => `${length} characters`)],
            scripts.map((script) => [script, ...added(script).map(whole)]),
          ),
        ],
      },
    };
  },

  call: (results) => ({
    call: {
      pictures: {
        call: {
          title: "CPU of a whole call, and of storing and copying its file",
          description: results.files
            .map(({ input, ratio }) => `${input}: ${ratio.toFixed(2)} times as much as storing and copying`)
            .join("; "),
        },
      },
      tables: [
        stamp(results),
        table(
          ["file", "size", "call, ms of CPU", "stored and copied", "times", "pdf-lib in a Worker"],
          results.files.map(({ input, bytes, callCpuMs, floorCpuMs, ratio, peerCpuMs }) => [
            ...[input, megabytes(bytes), short(callCpuMs), short(floorCpuMs), ratio.toFixed(2)],
            peerCpuMs === null ? "failed" : short(peerCpuMs),
          ]),
        ),
      ],
    },
  }),

  load: (results) => {
    const { levels, beside, calls, besideCalls, slow } = results;
    const [first, last] = [levels[0]!, levels.at(-1)!];
    const best = levels.reduce((a, b) => (b.perSecond > a.perSecond ? b : a));
    const wait = (ms: number | null) => (ms === null ? "no answer at all" : `${short(ms)} ms`);
    const ends = (of: "p50Ms" | "p99Ms") => `from ${wait(first[of])} to ${wait(last[of])}`;
    const others = beside.flatMap(({ name, told }) =>
      Object.entries(told).map(([kind, counts]) => [name, kind, counted(counts)]),
    );
    return {
      load: {
        pictures: {
          load: {
            title: "Calls at the same time: results and waits",
            description: `Files of 10 pages, by ${first.connections} to ${last.connections} callers at a time: at most ${best.perSecond.toFixed(1)} results a second, with ${best.connections} callers; the median wait goes ${ends("p50Ms")}, the 99th percentile ${ends("p99Ms")}.`,
          },
        },
        tables: [
          stamp(results),
          `${whole(calls)} calls at each number of callers:`,
          table(
            ["callers", ...loadHead],
            levels.map((level) => [level.connections, ...loadCells(level)]),
          ),
        ],
      },
      beside: {
        pictures: {},
        tables: [
          `${whole(besideCalls)} calls by ${beside[0]!.connections} callers at a time; the slow facilitator verifies in ${slow.verifyMs / 1000} s and settles in ${slow.settleMs / 1000} s:`,
          table(
            ["beside", ...loadHead],
            beside.map((load) => [load.name, ...loadCells(load)]),
          ),
          "What the others were answered:",
          table(["situation", "who", "answers"], others),
        ],
      },
    };
  },

  soak: (results) => {
    const { rounds, minutes, connections, failedRounds, aliveMbPer1000, residentMbPer1000 } = results;
    const [first, last] = [rounds[0]!, rounds.at(-1)!];
    const line = (name: string, of: "aliveMb" | "residentMb", slope: number, digits: number) => [
      name,
      first[of].toFixed(digits),
      last[of].toFixed(digits),
      slope.toFixed(2),
    ];
    return {
      soak: {
        pictures: {
          soak: {
            title: `Memory over ${plural(minutes, "minute")} of calls`,
            description: `After ${whole(last.calls)} calls the isolate keeps ${last.aliveMb.toFixed(1)} MB alive, after the first ${whole(first.calls)} it was ${first.aliveMb.toFixed(1)} MB; all of workerd has ${whole(last.residentMb)} MB, and had ${whole(first.residentMb)}.`,
          },
        },
        tables: [
          stamp(results),
          `${whole(last.calls)} calls by ${connections} callers at a time, in ${plural(minutes, "minute")}; ${failedRounds === 0 ? "each gave a result" : `in ${failedRounds} rounds of ${rounds.length} some failed`}:`,
          table(
            ["MB", `after ${whole(first.calls)} calls`, `after ${whole(last.calls)}`, "more for each 1,000 calls"],
            [
              line("kept alive by the isolate", "aliveMb", aliveMbPer1000, 1),
              line(
                "all of workerd, with what stands in for R2 and Durable Objects",
                "residentMb",
                residentMbPer1000,
                0,
              ),
            ],
          ),
        ],
      },
    };
  },
};

/** Makes the parts of `docs/performance.md`, by name, of the results that are there. */
export function sectionsOf(results: Partial<Results>): Record<string, Section> {
  const make = <Name extends keyof Results>(name: Name) => (results[name] ? MAKERS[name](results[name]) : {});
  return Object.assign({}, ...(Object.keys(MAKERS) as (keyof Results)[]).map(make));
}

/** Returns the document with its parts made anew: each is between two comments that name it. */
export function withSections(document: string, sections: Record<string, Section>): string {
  return document.replaceAll(/(<!-- (\w+): [^>]*-->\n).*?(<!-- end of \2 -->)/gs, (_, begin, name: string, end) => {
    const { pictures = {}, tables = [] } = sections[name] ?? {};
    const images = Object.entries(pictures).map(
      ([file, { title, description }]) => `![${title}. ${description}](performance/${file}.svg)`,
    );
    return [begin.trimEnd(), ...images, ...tables, end].join("\n\n");
  });
}
