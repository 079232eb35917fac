import type { Load } from "./drive.ts";
import type { Marked, Results } from "./results.ts";

/** Formats counts as "this: 2 times; that: 1 time". */
export const counted = (counts: Record<string, number>) =>
  Object.entries(counts)
    .map(([name, times]) => `${name}: ${plural(times, "time")}`)
    .join("; ") || "-";

/** Headings of the columns of {@link loadCells}. */
export const loadHead = [
  "per second",
  "p50, ms",
  "p99, ms",
  "asked to retry",
  "failed",
  "heap and buffers, MB",
  "workerd, MB",
];

/** Returns the outcome of calls as the cells of a table row; see {@link loadHead}. */
export function loadCells({ perSecond, p50Ms, p99Ms, busy, failed, lost, heapMb, residentMb }: Load): string[] {
  const failures = lost > 0 ? { ...failed, "payment without a result": lost } : failed;
  return [
    perSecond.toFixed(1),
    ...[p50Ms, p99Ms].map((ms) => ms?.toFixed(0) ?? "-"),
    ...[counted(busy), counted(failures)],
    ...[heapMb, residentMb].map((mb) => mb.toFixed(0)),
  ];
}

/** A picture of `docs/performance/`: its heading, and an alternative text that states its figures. */
export interface Picture {
  title: string;
  description: string;
}

/** A generated part of a document: its pictures, by file name, and its tables. */
interface Section {
  pictures: Record<string, Picture>;
  tables: string[];
}

const table = (head: string[], rows: (string | number)[][]) =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
const stamp = ({ measured, machine }: { measured: string; machine: string }) => `Measured on ${measured}: ${machine}.`;
const whole = (value: number) => Math.round(value).toLocaleString("en");
/** Formats a number with about three digits. Null means that the engine failed. */
const short = (value: number | null) =>
  value === null ? "failed" : value < 10 ? value.toFixed(value < 1 ? 2 : 1) : whole(value);
const megabytes = (bytes: number) => (bytes < 1e6 ? `${short(bytes / 1000)} KB` : `${short(bytes / 1e6)} MB`);
const plural = (count: number, of: string) => `${whole(count)} ${of}${count === 1 ? "" : "s"}`;

/** The name of our engine in results. */
export const OURS = "overprint";
/** Names in results that do not belong to other engines: our engine, its package, and the copy of the bytes. */
const NO_PEERS = [OURS, "@overprint/engine (npm package)", "copy"];

/** Returns the milliseconds of our engine for a file, and the fastest other engine that marked the file. */
function fastest(engines: Marked[]): { ours: number | null; best: Marked | undefined } {
  const peers = engines.filter(({ name, ms }) => !NO_PEERS.includes(name) && ms !== null);
  const [best] = peers.toSorted((a, b) => a.ms! - b.ms!);
  return { ours: engines.find(({ name }) => name === OURS)?.ms ?? null, best };
}

/** Returns a phrase that compares our engine with the best other engine for one file. */
function against(engines: Marked[], of: "ms" | "peakMb" | "addedBytes", format: (value: number) => string): string {
  const ours = engines.find(({ name }) => name === OURS)?.[of];
  const peers = engines.filter((engine) => !NO_PEERS.includes(engine.name) && (engine[of] ?? 0) > 0);
  const [best] = peers.toSorted((a, b) => a[of]! - b[of]!);
  const others = best ? `, best other engine ${format(best[of]!)} (${best.name})` : ", no other engine succeeded";
  return `overprint ${ours == null ? "failed" : format(ours)}${others}`;
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
          table(head("peak MB"), rows("peakMb")),
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
    const ends = (of: "ms" | "peakMb" | "addedBytes", format: (value: number) => string) =>
      [files[Math.min(1, files.length - 1)]!, files.at(-1)!]
        .map(({ pages, engines }) => `${plural(pages, "page")}: ${against(engines, of, format)}`)
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
            title: "Milliseconds to mark a file in memory, by number of pages",
            description: `Both axes are logarithmic. ${ends("ms", (ms) => `${short(ms)} ms`)}.`,
          },
        },
        tables: [stamp(results)],
      },
      memory: {
        pictures: {
          memory: {
            title: "Memory to mark a file, by file size",
            description: `Both axes are logarithmic. ${ends("peakMb", (mb) => `${short(mb)} MB`)}.`,
          },
        },
        tables: [],
      },
      growth: {
        pictures: {
          growth: {
            title: "Bytes added to a file, by number of pages",
            description: `Both axes are logarithmic. Engines that recompress a file and make it smaller are omitted. ${ends("addedBytes", megabytes)}.`,
          },
          texts: {
            title: "Bytes added by a text, by its length",
            description: `To a file of one page, including the font. Maximum for ${lengths[0]} to ${lengths.at(-1)} characters: ${most}.`,
          },
        },
        tables: [
          table(
            ["bytes added by", ...lengths.map((length) => `${length} characters`)],
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
          title: "CPU of a whole call, and of storing and copying the file",
          description: results.files
            .map(({ input, ratio }) => `${input}: ${ratio.toFixed(2)} times the CPU of storing and copying`)
            .join("; "),
        },
      },
      tables: [
        stamp(results),
        table(
          ["file", "size", "call, ms of CPU", "storing and copying", "ratio", "pdf-lib in a Worker"],
          results.files.map(({ input, bytes, callCpuMs, floorCpuMs, ratio, peerCpuMs }) => [
            ...[input, megabytes(bytes), short(callCpuMs), short(floorCpuMs), ratio.toFixed(2)],
            peerCpuMs === null ? "failed" : short(peerCpuMs),
          ]),
        ),
      ],
    },
  }),

  latency: (results) => {
    const { calls, delays, rounds } = results;
    const times = (ms: number, waitMs: number) => (waitMs === 0 ? "" : (ms / waitMs).toFixed(2));
    const simulated = Object.entries(delays).map(([name, ms]) => `${name} ${ms}`);
    return {
      latency: {
        pictures: {
          latency: {
            title: "Waiting time of a call, and the latency of the steps that it cannot avoid",
            description: calls
              .map(
                ({ name, waitMs, addsMs }) =>
                  `${name}: ${whole(Math.max(0, addsMs))} ms, cannot avoid ${whole(waitMs)} ms`,
              )
              .join("; "),
          },
        },
        tables: [
          stamp(results),
          `Simulated latencies in milliseconds: ${simulated.join(", ")}. Medians of ${rounds} calls:`,
          table(
            ["call", "cannot avoid, ms", "waits, ms", "ratio", "takes on this machine, ms"],
            calls.map(({ name, waitMs, takesMs, addsMs }) => [
              ...[name, whole(waitMs), whole(Math.max(0, addsMs)), times(addsMs, waitMs), whole(takesMs)],
            ]),
          ),
        ],
      },
    };
  },

  load: (results) => {
    const { levels, beside, calls, besideCalls, slow } = results;
    const [first, last] = [levels[0]!, levels.at(-1)!];
    const best = levels.reduce((a, b) => (b.perSecond > a.perSecond ? b : a));
    const wait = (ms: number | null) => (ms === null ? "no answer" : `${short(ms)} ms`);
    const ends = (of: "p50Ms" | "p99Ms") => `from ${wait(first[of])} to ${wait(last[of])}`;
    const others = beside.flatMap(({ name, answers }) =>
      Object.entries(answers).map(([kind, counts]) => [name, kind, counted(counts)]),
    );
    return {
      load: {
        pictures: {
          load: {
            title: "Concurrent calls: results and waiting times",
            description: `Files of 10 pages, ${first.connections} to ${last.connections} concurrent callers. Maximum: ${best.perSecond.toFixed(1)} results per second, with ${best.connections} callers. The median wait rises ${ends("p50Ms")}, the 99th percentile ${ends("p99Ms")}.`,
          },
        },
        tables: [
          stamp(results),
          `${whole(calls)} calls for each number of callers:`,
          table(
            ["callers", ...loadHead],
            levels.map((level) => [level.connections, ...loadCells(level)]),
          ),
        ],
      },
      beside: {
        pictures: {},
        tables: [
          `${whole(besideCalls)} calls by ${beside[0]!.connections} concurrent callers. The slow facilitator verifies in ${slow.verifyMs / 1000} s and settles in ${slow.settleMs / 1000} s:`,
          table(
            ["other load", ...loadHead],
            beside.map((load) => [load.name, ...loadCells(load)]),
          ),
          "Answers to the other load:",
          table(["other load", "kind of sender", "answers"], others),
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
            description: `The isolate has ${last.aliveMb.toFixed(1)} MB of live memory after ${whole(last.calls)} calls, and had ${first.aliveMb.toFixed(1)} MB after ${whole(first.calls)}. The process workerd grew from ${whole(first.residentMb)} MB to ${whole(last.residentMb)} MB between these two points.`,
          },
        },
        tables: [
          stamp(results),
          `${whole(last.calls)} calls by ${connections} concurrent callers in ${plural(minutes, "minute")}. ${failedRounds === 0 ? "Every call returned a result" : `Calls failed in ${failedRounds} of ${rounds.length} rounds`}:`,
          table(
            ["MB", `after ${whole(first.calls)} calls`, `after ${whole(last.calls)}`, "growth per 1,000 calls"],
            [
              line("live memory of the isolate", "aliveMb", aliveMbPer1000, 1),
              line("process workerd, with the simulated R2 and Durable Objects", "residentMb", residentMbPer1000, 0),
            ],
          ),
        ],
      },
    };
  },
};

/** Generates the parts of the documents for which results exist, by the name of the part. */
export function sectionsOf(results: Partial<Results>): Record<string, Section> {
  const make = <Name extends keyof Results>(name: Name) => (results[name] ? MAKERS[name](results[name]) : {});
  return Object.assign({}, ...(Object.keys(MAKERS) as (keyof Results)[]).map(make));
}

/** Replaces the generated parts of a document. Two comments with the name of the part enclose each part. */
export function withSections(document: string, sections: Record<string, Section>): string {
  return document.replaceAll(/(<!-- (\w+): [^>]*-->\n).*?(<!-- end of \2 -->)/gs, (_, begin, name: string, end) => {
    const { pictures = {}, tables = [] } = sections[name] ?? {};
    const images = Object.entries(pictures).map(
      ([file, { title, description }]) => `![${title}. ${description}](performance/${file}.svg)`,
    );
    return [begin.trimEnd(), ...images, ...tables, end].join("\n\n");
  });
}
