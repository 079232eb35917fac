import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { sectionsOf, withSections } from "../../bench/report.ts";
import { lifecycleRules } from "../../scripts/deploy/lifecycle.ts";
import { IMAGE_FORMATS, IMAGE_POSITIONS, MAX_SIDE, POSITIONS, TEMPLATES } from "../../src/engine/index.ts";
import type { Template } from "../../src/engine/marks/templates.ts";
import { BLOBS, DOUBLES } from "../../src/http/statistics.ts";
import { MAX_TEXT_BYTES } from "../../src/inputs/inlineFile.ts";
import { LARGE_BYTES } from "../../src/inputs/largeFileSlot.ts";
import { PAYERS_POOL, SENDERS_POOL, SPARE_BYTES } from "../../src/inputs/memory.ts";
import { limitsOf } from "../../src/service/about/limits.ts";
import { imageRequest, textRequest } from "../../src/service/request/schemas.ts";
import { NOTICES } from "../../src/service/sale/notices.ts";
import { readConfig } from "../../src/settings/config.ts";
import {
  PAYMENT_LINKS,
  RATE_LIMITS,
  REFUSED_PAYMENTS,
  UNPAID_MESSAGE_BYTES,
  UNUSED_PAYMENTS,
  UPLOADS,
} from "../../src/settings/limits.ts";
import { settings } from "../../src/settings/schema.ts";
import { misspelledNames } from "../../src/settings/settingNames.ts";
import { PROBLEMS } from "../../src/shared/problems.ts";

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
/**
 * Returns the contents of the files whose path matches a pattern. The keys are paths from the root of the repository.
 */
function textsOf(pattern: string) {
  const paths = globSync(pattern, { cwd: ROOT }).map((path) => path.replaceAll("\\", "/"));
  return Object.fromEntries(paths.map((path) => [path, read(path)]));
}
const TESTS = textsOf("test/**/*.ts");
const SOURCES = textsOf("src/**/*.ts");
const FILES = textsOf(
  "{*,docs/*,docs/{contributing,design,operations,performance}/*,examples/*,examples/{agents,python,worker}/*,packages/*,packages/*/*}.{md,ts,mjs,py,sh,html,png,pdf,svg,yml}",
);
const architecture = read("ARCHITECTURE.md");
const errors = read("docs/errors.md");
const files = read("docs/files.md");
const http = read("docs/http.md");
const marks = { text: read("docs/text-marks.md"), image: read("docs/image-marks.md") };
const deploying = read("docs/deploy.md");
const developmentSettings = read(".dev.vars.example");
const examples = read("examples/README.md");
const manifest = read("package.json");
const mcp = read("docs/mcp.md");
const operating = read("docs/operate.md");
const performance = read("docs/performance.md");
const readme = read("README.md");
const repairs = read("docs/compatibility-repairs.md");
const wrangler = read("wrangler.toml");

/**
 * Rows of the tables in docs/compatibility-repairs.md. Each row contains the damage, the repair, the reason, the source
 * file, and the tests.
 */
const rows = repairs
  .split("\n## Known limits")[0]!
  .split("\n")
  .filter((line) => line.startsWith("| ") && !/^\| (what is wrong|---)/.test(line))
  .map((line) => line.split("|").slice(1, -1));
const quoted = (cell = "") => Array.from(cell.matchAll(/`([^`]+)`/g), ([, text]) => text!);

/** Returns the anchors that GitHub creates for the headings of a document. */
function sectionsIn(document: string): string[] {
  const headings = document.replaceAll(/^```.*?^```$/gms, "").matchAll(/^#+ (.+)$/gm);
  return Array.from(headings, ([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-"),
  );
}

/** Returns the table rows of a document whose first cell is a name in backquotes. */
function namedRows(text: string): [name: string, ...cells: string[]][] {
  const lines = text.split("\n").filter((line) => line.startsWith("| `"));
  return lines.map((line) => {
    const [, first = "", ...cells] = line
      .split("|")
      .slice(0, -1)
      .map((cell) => cell.trim());
    return [quoted(first)[0]!, ...cells];
  });
}

/** Returns, for each field, its row in the field table of an operation: meaning, limits and default. */
function fieldRows(operation: "text" | "image") {
  const section = marks[operation].split("## Fields")[1]!.split("\n#")[0]!;
  return new Map(
    namedRows(section).map(([name, meaning = "", limits = "", fallback = ""]) => [name, { meaning, limits, fallback }]),
  );
}

const requests = [
  ["text", textRequest()],
  ["image", imageRequest()],
] as const;

describe("docs/text-marks.md and docs/image-marks.md", () => {
  test.each(requests)(
    "the field table of the documentation lists exactly the operation's fields: %s",
    (operation, request) => {
      expect([...fieldRows(operation).keys()].sort()).toEqual(Object.keys(request.shape).sort());
    },
  );

  test("docs/text-marks.md lists every template with its position, rotation and color", () => {
    expect(quoted(fieldRows("text").get("template")!.meaning)).toEqual(Object.keys(TEMPLATES));
    const section = marks.text.split("## Templates")[1]!.split("\n## ")[0]!;
    const listed = namedRows(section).map(([name, , position, rotation, color]) => [
      name,
      { position: quoted(position)[0], rotation, color: quoted(color)[0] },
    ]);
    const own = Object.entries<Template>(TEMPLATES).map(([name, { position, rotation, color }]) => [
      name,
      { position, rotation: position === "diagonal" ? "along the diagonal" : String(rotation ?? 0), color },
    ]);
    expect(listed).toEqual(own);
  });

  test("docs/text-marks.md lists the templates with small text and the templates with a line limit", () => {
    const those = (property: keyof Template) =>
      Object.entries<Template>(TEMPLATES).flatMap(([name, template]) => (template[property] ? [name] : []));
    expect(quoted(/Small lines \(([^)]+)\)/.exec(marks.text)?.[1])).toEqual(those("small"));
    expect(quoted(/^\| ([^|]+) \| One line, or/m.exec(marks.text)?.[1])).toEqual(those("maxDepth"));
  });

  test("the documentation's field tables list every position, and say which positions only text marks have", () => {
    expect(quoted(fieldRows("text").get("position")!.meaning)).toEqual(POSITIONS);
    const lacking = quoted(fieldRows("image").get("position")!.meaning);
    expect(lacking).toEqual(POSITIONS.filter((position) => !IMAGE_POSITIONS.some((other) => other === position)));
  });

  test("docs/image-marks.md lists every image format", () => {
    const [formats = ""] = fieldRows("image").get("image")!.meaning.split(":");
    expect(formats.split(/, | or /)).toEqual(IMAGE_FORMATS);
  });

  test.each(requests)(
    "the field table of the documentation states the default of every field: %s",
    (operation, request) => {
      const { properties = {} } = z.toJSONSchema(request, { io: "input" });
      for (const [name, { fallback }] of fieldRows(operation)) {
        const { default: own } = properties[name] as { default?: unknown };
        if (own !== undefined) expect([name, fallback]).toEqual([name, `\`${own}\``]);
        else expect([name, fallback]).toEqual([name, expect.not.stringMatching(/^`/)]);
      }
    },
  );

  test.each(requests)(
    "the field table of the documentation states the limits of every field: %s",
    (operation, request) => {
      const { properties = {} } = z.toJSONSchema(request, { io: "input" });
      const bounds = ["minimum", "exclusiveMinimum", "maximum", "minLength", "maxLength"];
      for (const [name, { limits }] of fieldRows(operation)) {
        const own = Object.entries(properties[name] as object).filter(([key]) => bounds.includes(key));
        const said = Array.from(limits.matchAll(/-?\d+/g), Number);
        if (name !== "image" && name !== "file") expect([name, said]).toEqual([name, own.map(([, bound]) => bound)]);
      }
    },
  );
});

describe("the documents for callers", () => {
  const config = readConfig({});
  const [mb, gb] = [(bytes: number) => `${bytes / 1e6} MB`, (bytes: number) => `${bytes / 1e9} GB`];
  const count = (value: number) => value.toLocaleString("en");
  const { bytesPerSecond, graceMs, deadlineMs } = config.bodyPace;
  const pace = `${bytesPerSecond / 1000} KB a second`;
  const image = `${mb(config.maxImageBytes)}, ${config.maxImagePixels / 1e6} million pixels, ${count(MAX_SIDE)} pixels on a side`;
  const forgotten = (ms: number) => `then one more every ${ms / 1000} seconds`;

  test.each([
    [`A call costs $${config.price.label.replace(" ", " in ")},`, readme],
    [`A call costs ${config.price.label};`, deploying],
    [`| ${config.price.label} |`, http],
    [`| PDF by URL or upload | ${gb(config.maxSourceBytes)} |`, files],
    [`| PDF in the call (form or raw body) | ${mb(config.maxBodyBytes)} |`, files],
    [
      `| body in JSON | ${mb(config.maxJsonBytes)}, which is a PDF of ${mb((config.maxJsonBytes * 3) / 4)} as base64 |`,
      files,
    ],
    [
      `| PDF from a server that answers with a \`Content-Encoding\` | ${mb(limitsOf(config).encoded_file_bytes)} |`,
      files,
    ],
    [`| pages | ${count(config.maxPages)} |`, files],
    [`| image | ${image} |`, files],
    [`| time to fetch a URL | ${config.fetchTimeoutMs / 1000} seconds, at least ${pace} |`, files],
    [`| time to receive a body | ${deadlineMs / 1000} seconds, at least ${pace} |`, files],
    [`to the second. By default, a link works for ${config.linkTtlSeconds / 3600} hours.`, files],
    ["at most three redirects,", files],
    [
      `| free | ${mb(UPLOADS.freeBytes)} | ${UPLOADS.free.slots} at the same time and ${mb(UPLOADS.free.bytes)} an hour for each address |`,
      files,
    ],
    [
      `| ${UPLOADS.payerSlots} at the same time and ${gb(config.unchargedBytesPerHour)} an hour for each payer |`,
      files,
    ],
    [`uploaded part | ${image} |`, marks.image],
    [
      `must keep up ${pace}, may stall for at most ${graceMs / 1000} seconds, and may take ${deadlineMs / 1000} seconds.`,
      http,
    ],
    [`| calls without a valid payment | address | ${RATE_LIMITS.unpaidCalls} a minute |`, http],
    [
      `| requests with a wrong token, an unknown upload or payment link, or an invalid sign-in | address | ${RATE_LIMITS.wrongTokens} a minute |`,
      http,
    ],
    [`| refused payments | address | ${REFUSED_PAYMENTS.capacity}, ${forgotten(REFUSED_PAYMENTS.leakMs)} |`, http],
    [
      `| verified payments whose calls failed | payer | ${UNUSED_PAYMENTS.capacity}, ${forgotten(UNUSED_PAYMENTS.leakMs)} |`,
      http,
    ],
    [
      `| payments in use at the same time | payer | ${config.maxCallsPerPayer}, with up to ${config.maxRequestsPerPayer} calls |`,
      http,
    ],
    [`| work of uncharged calls | payer | ${config.unchargedMsPerHour / 1000} seconds an hour |`, http],
    [`| bytes received for uncharged calls | payer | ${gb(config.unchargedBytesPerHour)} an hour |`, http],
    [`| payment links | address | ${PAYMENT_LINKS.free.slots} at the same time |`, http],
    [`| free uploads | address | ${UPLOADS.free.slots} at the same time, ${mb(UPLOADS.free.bytes)} an hour |`, http],
    [`A message of more than ${count(UNPAID_MESSAGE_BYTES)} bytes`, mcp],
    [`an MCP message of more than ${count(UNPAID_MESSAGE_BYTES)} bytes`, errors],
    [`The PDF has more than ${count(config.maxPages)} pages.`, errors],
    [`The PDF exceeds ${gb(config.maxSourceBytes)}, or ${mb(limitsOf(config).encoded_file_bytes)} from`, errors],
    [
      `at less than ${pace}, stalled for ${graceMs / 1000} seconds, or took more than ${deadlineMs / 1000} seconds.`,
      errors,
    ],
    [`not arrive within ${config.fetchTimeoutMs / 1000} seconds, or arrived at less than ${pace}.`, errors],
    [
      `The image exceeds ${mb(config.maxImageBytes)}, ${config.maxImagePixels / 1e6} million pixels, or ${count(MAX_SIDE)} pixels`,
      errors,
    ],
  ])("a document for callers states the current limit: %s", (fact, document) => {
    expect(document.replaceAll(/\n\s*/g, " ")).toContain(fact);
  });

  test("docs/errors.md explains every error code once, with its status, cause and remedy", () => {
    const listed = namedRows(errors)
      .filter(([, status]) => /^\d{3}$/.test(status ?? ""))
      .map(([code, status, cause, remedy]) => {
        expect([code, cause, remedy]).toEqual([
          code,
          expect.stringMatching(/^[A-Z`].*\.$/),
          expect.stringMatching(/\.$/),
        ]);
        return [code, Number(status)] as const;
      });
    const own = Object.entries(PROBLEMS).map(([code, { status }]) => [code, status] as const);
    expect(listed.toSorted()).toEqual(own.toSorted());
  });

  test("docs/http.md explains every notice", () => {
    const listed = namedRows(http.split("| notice | meaning |")[1]!.split("\n\n")[0]!).map(([name]) => name);
    expect(listed).toEqual(Object.keys(NOTICES));
  });
});

test.each([{}, { LINK_TTL_SECONDS: "2592000" }])(
  "the bucket's lifecycle rules cover every prefix, and keep objects as long as the service needs them: %j",
  (env) => {
    const { linkTtlSeconds, workSeconds } = readConfig(env);
    const rules = lifecycleRules({ linkTtlSeconds });
    expect(rules.map(({ prefix }) => prefix)).toEqual(["results/", "spool/", "uploads/", "quotes/"]);
    const [results, spool, uploads, quotes] = rules.map(({ expireDays }) => expireDays * 86_400);
    expect(results).toBeGreaterThanOrEqual(linkTtlSeconds + 86_400);
    expect(spool).toBeGreaterThan(workSeconds);
    expect(uploads).toBeGreaterThan(UPLOADS.seconds + workSeconds);
    expect(quotes).toBeGreaterThan(PAYMENT_LINKS.seconds + workSeconds);
  },
);

describe("the documents", () => {
  const known = Object.keys(settings.shape);
  const examples = ["NETWORK", "LINK_TTL_SECOND"]; // The documents misspell these names intentionally.

  test.each(Object.entries(FILES).filter(([path]) => /\.(md|sh|ts|py)$/.test(path)))(
    "a document spells every setting correctly: %s",
    (_, text) => {
      const names = text.match(/\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b/g) ?? [];
      const slips = names.flatMap((name) => misspelledNames({ [name]: "x" }, known)).map(({ problem }) => problem);
      expect(slips.filter((slip) => !examples.includes(slip.split(" ")[0]!))).toEqual([]);
    },
  );
});

describe("docs/operate.md", () => {
  test("docs/operate.md lists the statistics columns that the code writes", () => {
    const columns = Object.fromEntries(
      operating
        .split("\n")
        .filter((line) => /^\| (`index1`, )?`(blob|double)\d/.test(line))
        .map((line) => [/`((?:blob|double)\d+)` \|/.exec(line)![1], /\| `(\w+)`[^|]*\|$/.exec(line)![1]]),
    );
    const written = [
      ...BLOBS.map((name, at) => [`blob${at + 1}`, name]),
      ...DOUBLES.map((name, at) => [`double${at + 1}`, name]),
    ];
    expect(columns).toEqual(Object.fromEntries(written));
    expect(wrangler).toContain('# binding = "REQUESTS"\n# dataset = "overprint_requests"');
  });

  test("docs/operate.md describes every event that the service logs", () => {
    const types = [SOURCES["src/shared/logLines.ts"], SOURCES["src/payments/wire/events.ts"]].join("\n");
    const events = Array.from(types.matchAll(/^ {2}event: "(\w+)";$/gm), ([, event]) => event);
    const described = Array.from(operating.matchAll(/^\| `(\w+)` \| (?!`)\w/gm), ([, event]) => event);
    expect(events.length).toBeGreaterThan(7);
    for (const event of events) expect(described).toContain(event);
  });

  test("docs/operate.md names each kind of difference exactly as npm run revenue prints it", () => {
    const printed = read("scripts/revenue/report.ts").matchAll(/`\\n(\w+ without a \w+): /g);
    const differences = Array.from(printed, ([, difference]) => difference!);
    expect(differences).toHaveLength(2);
    for (const difference of differences) expect(operating.split("## Refunds")[1]).toContain(`*${difference}*`);
  });

  test("the section about keys in docs/operate.md names every secret", () => {
    const isSecret = (name: string) => /KEY|SECRET|TOKEN|AUTHORIZATION|PAY_TO/.test(name) && name !== "DEFAULT_KEY";
    for (const name of Object.keys(settings.shape).filter(isSecret))
      expect(operating.split("## Keys")[1]).toContain(`\`${name}\``);
  });
});

test('package.json describes every setting that the "Deploy to Cloudflare" button asks for', () => {
  const { cloudflare } = JSON.parse(manifest) as { cloudflare: { bindings: Record<string, { description: string }> } };
  const asked = Array.from(developmentSettings.matchAll(/^([A-Z_]+)=/gm), ([, name]) => name!);
  expect(asked).toEqual(["PAY_TO", "NETWORKS", "FACILITATOR_URL"]);
  expect(Object.keys(cloudflare.bindings).toSorted()).toEqual([...asked, "RESULTS"].toSorted());
});

describe("the documents' links", () => {
  const there = new Set(Object.keys(FILES));
  const documents = Object.entries(FILES).filter(([path]) => path.endsWith(".md"));

  test.each(documents)("the links of a document point to existing files: %s", (path, text) => {
    const links = Array.from(
      text.matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g),
      ([, to]) => new URL(to!, `file:///${path}`),
    );
    for (const { pathname } of links) expect(there).toContain(pathname.slice(1));
    const named = quoted(text.replaceAll(/^```$.*?^```$/gms, "")).filter((name) =>
      /^(docs|examples)\/[\w.-]+$/.test(name),
    );
    for (const name of named) expect(there).toContain(name);
  });

  test.each(documents)("a document names only scripts that exist in package.json: %s", (_, text) => {
    const { scripts } = JSON.parse(manifest) as { scripts: Record<string, string> };
    const named = Array.from(text.matchAll(/npm run (?:-s )?([a-z][\w:-]*)/g), ([, name]) => name!);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });

  test.each(documents)("the links of a document point to existing sections: %s", (path, text) => {
    const links = Array.from(
      text.matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)\)/g),
      ([, to, section]) => [to ? new URL(to, `file:///${path}`).pathname.slice(1) : path, section!] as const,
    );
    for (const [target, section] of links)
      expect(sectionsIn(FILES[target]!), `${target}#${section}`).toContain(section);
  });

  test.each([
    ["README.md", /^docs\/[^/]+$/],
    ["ARCHITECTURE.md", /^docs\/design\//],
    ["CONTRIBUTING.md", /^docs\/contributing\//],
  ])("the document %s links to every document whose path matches %s", (index, folder) => {
    const listed = documents.filter(([path]) => folder.test(path));
    expect(listed.length).toBeGreaterThan(0);
    for (const [path] of listed) expect(FILES[index]).toContain(`](${path})`);
  });
});

describe("docs/performance.md", () => {
  const results = Object.entries(textsOf("docs/performance/*.json")).map(([path, text]) => [
    /(\w+)\.json$/.exec(path)![1],
    JSON.parse(text),
  ]);
  const sections = sectionsOf(Object.fromEntries(results));
  const pictures = Object.values(sections).flatMap((section) => Object.entries(section.pictures));

  test("docs/performance.md and README.md show the saved benchmark results", () => {
    expect(results.length).toBeGreaterThan(0);
    expect(withSections(performance, sections)).toBe(performance);
    expect(withSections(readme, sections)).toBe(readme);
    for (const name of Object.keys(sections))
      expect(name === "speed" ? readme : performance).toContain(`<!-- end of ${name} -->`);
  });

  test.each(pictures)(
    "the alternative text of a picture in docs/performance.md is the picture's own title and description: %s",
    (file, { title, description }) => {
      const svg = FILES[`docs/performance/${file}.svg`];
      expect(svg).toContain(`<title id="title">${title}</title>`);
      expect(svg).toContain(`<desc id="description">${description}</desc>`);
      expect(performance).toContain(`![${title}. ${description}](performance/${file}.svg)`);
    },
  );
});

test("examples/README.md names every example", () => {
  const rows = examples.split("\n").filter((line) => line.startsWith("| `"));
  const named = rows.flatMap((line) => quoted(line.split("|")[1]));
  const programs = globSync(["*.{sh,ts,mjs,html,py}", "python/*.py", "agents", "worker"], {
    cwd: join(ROOT, "examples"),
  });
  expect(named.map((name) => name.replace(/\/$/, "")).sort()).toEqual(programs.sort());
});

describe("ARCHITECTURE.md and the design notes", () => {
  const notes = Object.entries(FILES).filter(([path]) => /^(ARCHITECTURE|docs\/design\/.+)\.md$/.test(path));
  const named = notes.flatMap(([path, text]) =>
    quoted(text.replaceAll(/^```.*?^```$/gms, ""))
      .filter((name) => /^[\w.-]+(\/[\w.-]+)*\.(tsx?|css|toml)$/.test(name))
      .map((name) => [path, name] as const),
  );

  test.each(named)("the document %s names a file that exists: %s", (_, file) => {
    const found = [file, `src/${file}`].filter((path) => existsSync(join(ROOT, path)));
    expect(found).toHaveLength(1);
  });

  test("ARCHITECTURE.md lists every folder and file that scripts/boundaries.ts names, except those in test/", () => {
    const parts = Array.from(
      read("scripts/boundaries.ts").matchAll(/^ {2}"?([\w./]+)"?: \[?.*$/gm),
      ([, part]) => part!,
    );
    expect(parts.length).toBeGreaterThan(15);
    for (const part of parts.filter((name) => !name.startsWith("test/")))
      expect(architecture).toContain(`\`${part.replace(/^src\//, "").replace(/^(web|cli|packages)$/, "$1/")}\``);
  });

  test("docs/design/admission-and-limits.md states the current limits", () => {
    const { bodyPace, maxLargeFiles } = readConfig({});
    const megabytes = (bytes: number) => `${bytes / 1e6} MB`;
    const facts = [
      `unpaid calls (${RATE_LIMITS.unpaidCalls} a minute)`,
      `invalid sign-ins (${RATE_LIMITS.wrongTokens} a minute)`,
      ...[REFUSED_PAYMENTS, UNUSED_PAYMENTS].map(
        ({ capacity, leakMs }) => `: ${capacity}, one forgotten every ${leakMs / 1000} seconds`,
      ),
      `${bodyPace.bytesPerSecond / 1000} KB a second`,
      `| ${maxLargeFiles === 1 ? "one file" : maxLargeFiles} over ${megabytes(LARGE_BYTES)} at a time`,
      `an MCP message (${UNPAID_MESSAGE_BYTES / 1024} KiB)`,
      `| files and messages of payers | ${megabytes(PAYERS_POOL.bytes)} |`,
      `| files that are being uploaded | ${megabytes(SENDERS_POOL.bytes)} |`,
      `Files leave ${megabytes(SPARE_BYTES)} of the pool`,
      `A body may contain at most ${megabytes(MAX_TEXT_BYTES)} of text`,
    ];
    for (const fact of facts) expect(FILES["docs/design/admission-and-limits.md"]).toContain(fact);
  });

  test("ARCHITECTURE.md has at most 150 lines", () => {
    expect(architecture.split("\n").length).toBeLessThanOrEqual(150);
  });
});

describe("docs/compatibility-repairs.md", () => {
  test("each table row in docs/compatibility-repairs.md has five cells", () => {
    expect(rows.length).toBeGreaterThan(100);
    expect(rows.filter((row) => row.length !== 5)).toEqual([]);
  });

  test.each(rows.map((row) => [row[0]!.trim(), ...row.slice(3)]))(
    "a table row in docs/compatibility-repairs.md names an existing file and an existing test: %s",
    (_, where, tests) => {
      for (const file of quoted(where))
        expect(
          Object.keys(SOURCES).filter((path) => path.startsWith("src/engine/pdf/") && path.endsWith(`/${file}`)),
          file,
        ).toHaveLength(1);
      expect(quoted(tests).length).toBeGreaterThan(0);
      for (const reference of quoted(tests)) {
        const [, file, names = ""] = /^([\w/.]+\.ts): (.+)$/.exec(reference) ?? [];
        const paths = Object.keys(TESTS).filter((path) => path.endsWith(`/${file}`));
        expect(paths, `files of ${reference}`).toHaveLength(1);
        // A test name is a complete string literal in the test file, with double quotes or backquotes.
        const isThere = (name: string) => [`"${name}"`, `\`${name}\``].some((text) => TESTS[paths[0]!]!.includes(text));
        expect(
          names.split(" > ").filter((name) => !isThere(name)),
          `names not in ${file}`,
        ).toEqual([]);
      }
    },
  );
});
