import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { sectionsOf, withSections } from "../../bench/report.ts";
import { lifecycleRules } from "../../scripts/deploy/lifecycle.ts";
import { IMAGE_FORMATS, IMAGE_POSITIONS, POSITIONS, TEMPLATES } from "../../src/engine/index.ts";
import type { Template } from "../../src/engine/marks/templates.ts";
import { BLOBS, DOUBLES } from "../../src/http/statistics.ts";
import { imageRequest, textRequest } from "../../src/service/request/schemas.ts";
import { readConfig, settings, UPLOADS } from "../../src/settings/config.ts";
import { misspelt } from "../../src/settings/settingNames.ts";

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
/** Returns the texts of a pattern's files, by their paths from the root. */
function textsOf(pattern: string) {
  const paths = globSync(pattern, { cwd: ROOT }).map((path) => path.replaceAll("\\", "/"));
  return Object.fromEntries(paths.map((path) => [path, read(path)]));
}
const TESTS = textsOf("test/**/*.test.ts");
const SOURCES = textsOf("src/**/*.ts");
const FILES = textsOf("{*,docs/*,docs/{contributing,design,performance}/*,examples/*}.{md,ts,py,sh,html,png,pdf,svg}");
const architecture = read("ARCHITECTURE.md");
const calling = read("docs/calling.md");
const deploying = read("docs/deploy.md");
const developmentSettings = read(".dev.vars.example");
const examples = read("examples/README.md");
const manifest = read("package.json");
const operating = read("docs/operate.md");
const performance = read("docs/performance.md");
const readme = read("README.md");
const tolerance = read("docs/pdf-tolerance.md");
const wrangler = read("wrangler.toml");

/** The rows of its tables: what is wrong, what the engine does, why, where, and the tests that hold it. */
const rows = tolerance
  .split("\n")
  .filter((line) => line.startsWith("| ") && !/^\| (what is wrong|---)/.test(line))
  .map((line) => line.split("|").slice(1, -1));
const quoted = (cell = "") => Array.from(cell.matchAll(/`([^`]+)`/g), ([, text]) => text!);

/** Returns the anchors of a document's headings, as GitHub makes them. */
function sectionsIn(document: string): string[] {
  const headings = document.replaceAll(/^```.*?^```$/gms, "").matchAll(/^#+ (.+)$/gm);
  return Array.from(headings, ([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-"),
  );
}

/** The rows on an operation's fields: the names of each row's first cell, and the row. */
function fieldRows(operation: "text" | "image") {
  const section = calling.split(`## \`POST /v1/watermark/${operation}\``)[1]!.split("\n#")[0]!;
  const lines = section.split("\n").filter((line) => line.startsWith("| `"));
  return new Map(lines.flatMap((line) => quoted(line.split("|")[1]).map((name) => [name, line] as const)));
}

describe("docs/calling.md names", () => {
  test("every field of a text mark, and no other", () => {
    expect([...fieldRows("text").keys()].sort()).toEqual(Object.keys(textRequest().shape).sort());
  });

  test("every field of an image mark, and no other", () => {
    expect([...fieldRows("image").keys()].sort()).toEqual(Object.keys(imageRequest().shape).sort());
  });

  test("every template", () => {
    expect(quoted(fieldRows("text").get("template")!.split("|")[2])).toEqual(Object.keys(TEMPLATES));
  });

  test("which templates are small, and which stay on few lines", () => {
    const those = (property: keyof Template) =>
      Object.entries<Template>(TEMPLATES).flatMap(([name, template]) => (template[property] ? [name] : []));
    expect(quoted(/small lines \(([^)]+)\)/.exec(calling)?.[1])).toEqual(those("small"));
    expect(quoted(/; ([^;]+) stay on one line/.exec(calling)?.[1])).toEqual(those("mostLines"));
  });

  test("every position, and which of them an image has not", () => {
    expect(quoted(fieldRows("text").get("position")!.split("|")[2])).toEqual(POSITIONS);
    const lacking = quoted(fieldRows("image").get("position")!.split("|")[2]);
    expect(lacking).toEqual(POSITIONS.filter((position) => !IMAGE_POSITIONS.some((other) => other === position)));
  });

  test("every image format", () => {
    const [, , named = ""] = fieldRows("image").get("image")!.split("|");
    expect(
      named
        .split(":")[0]!
        .trim()
        .split(/, | or /),
    ).toEqual(IMAGE_FORMATS);
  });

  test.each([
    ["text", textRequest()],
    ["image", imageRequest()],
  ] as const)("every default of a %s mark", (operation, request) => {
    const { properties = {} } = z.toJSONSchema(request, { io: "input" });
    for (const [name, row] of fieldRows(operation)) {
      const [, , what, told] = row.split("|").map((cell) => cell.trim().replaceAll("`", ""));
      const { default: fallback } = properties[name] as { default?: unknown };
      if (fallback !== undefined && what !== "as above") expect([name, told]).toEqual([name, String(fallback)]);
    }
  });

  test("the defaults of prices, limits and links", () => {
    const { price, maxSourceBytes, maxBodyBytes, maxJsonBytes, maxImageBytes, maxPages, linkTtlSeconds } = readConfig(
      {},
    );
    const said = [readme, calling, deploying].join("\n").replaceAll("\n", " ");
    for (const fact of [
      `A call costs $${price.label.replace(" ", " in ")},`,
      `A call costs ${price.label};`,
      `A PDF may have ${maxSourceBytes / 1e9} GB by URL or upload, ${maxBodyBytes / 1e6} MB in the call itself`,
      `(a body in JSON ${maxJsonBytes / 1e6} MB, which are a PDF of ${(maxJsonBytes * 3) / 4 / 1e6} MB as a data URI), and ${maxPages.toLocaleString("en")} pages;`,
      `an image may have ${maxImageBytes / 1e6} MB.`,
      `(${linkTtlSeconds / 3600} hours by default)`,
      `Uploads are free up to ${UPLOADS.freeBytes / 1e6} MB, five at the same time and ${UPLOADS.free.bytes / 1e6} MB an hour`,
    ])
      expect(said).toContain(fact);
  });
});

test.each([{}, { LINK_TTL_SECONDS: "2592000" }])(
  "the lifecycle rules of the bucket delete nothing that the service still needs, and cover all it stores: %j",
  (env) => {
    const { linkTtlSeconds, workSeconds } = readConfig(env);
    const rules = lifecycleRules({ linkTtlSeconds });
    expect(rules.map(({ prefix }) => prefix)).toEqual(["results/", "spool/", "uploads/"]);
    const [results, spool, uploads] = rules.map(({ expireDays }) => expireDays * 86_400);
    expect(results).toBeGreaterThanOrEqual(linkTtlSeconds + 86_400);
    expect(spool).toBeGreaterThan(workSeconds);
    expect(uploads).toBeGreaterThan(UPLOADS.seconds + workSeconds);
  },
);

describe("the documents", () => {
  const known = Object.keys(settings.shape);
  const examples = ["NETWORK", "LINK_TTL_SECOND"]; // of slips

  test.each(Object.entries(FILES).filter(([path]) => /\.(md|sh|ts|py)$/.test(path)))(
    "misspell no setting: %s",
    (_, text) => {
      const names = text.match(/\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b/g) ?? [];
      const slips = names.flatMap((name) => misspelt({ [name]: "x" }, known));
      expect(slips.filter((slip) => !examples.includes(slip.split(" ")[0]!))).toEqual([]);
    },
  );
});

describe("docs/operate.md", () => {
  test("names the columns of the statistics as they are written", () => {
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

  test("says of every line of the log what it means", () => {
    const types = [SOURCES["src/shared/log.ts"], SOURCES["src/payments/wire/events.ts"]].join("\n");
    const events = Array.from(types.matchAll(/^ {2}event: "(\w+)";$/gm), ([, event]) => event);
    const told = Array.from(operating.matchAll(/^\| `(\w+)` \| (?!`)\w/gm), ([, event]) => event);
    expect(events.length).toBeGreaterThan(7);
    for (const event of events) expect(told).toContain(event);
  });

  test("says of every secret how it is changed", () => {
    for (const name of Object.keys(settings.shape).filter((name) => /KEY|SECRET|TOKEN|AUTHORIZATION|PAY_TO/.test(name)))
      expect(operating.split("## Keys")[1]).toContain(`\`${name}\``);
  });
});

test('all that the button "Deploy to Cloudflare" asks for is described', () => {
  const { cloudflare } = JSON.parse(manifest) as { cloudflare: { bindings: Record<string, { description: string }> } };
  const asked = Array.from(developmentSettings.matchAll(/^([A-Z_]+)=/gm), ([, name]) => name!);
  expect(asked).toEqual(["PAY_TO", "NETWORKS", "FACILITATOR_URL"]);
  expect(Object.keys(cloudflare.bindings).toSorted()).toEqual([...asked, "RESULTS"].toSorted());
});

describe("the documents' links", () => {
  const there = new Set(Object.keys(FILES));
  const documents = Object.entries(FILES).filter(([path]) => path.endsWith(".md"));

  test.each(documents)("lead to files that are there: %s", (path, text) => {
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

  test.each(documents)("name scripts that are there: %s", (_, text) => {
    const { scripts } = JSON.parse(manifest) as { scripts: Record<string, string> };
    const named = Array.from(text.matchAll(/npm run (?:-s )?([a-z][\w:-]*)/g), ([, name]) => name!);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });

  test.each(documents)("name sections that exist: %s", (path, text) => {
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
  ])("%s links every document of %s", (index, folder) => {
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

  test("has the tables and pictures of the results that are kept", () => {
    expect(results.length).toBeGreaterThan(0);
    expect(withSections(performance, sections)).toBe(performance);
    for (const name of Object.keys(sections)) expect(performance).toContain(`<!-- end of ${name} -->`);
  });

  test.each(pictures)("says in words what its picture shows: %s", (file, { title, description }) => {
    const svg = FILES[`docs/performance/${file}.svg`];
    expect(svg).toContain(`<title id="title">${title}</title>`);
    expect(svg).toContain(`<desc id="description">${description}</desc>`);
    expect(performance).toContain(`![${title}. ${description}](performance/${file}.svg)`);
  });
});

test("examples/README.md names every example", () => {
  const rows = examples.split("\n").filter((line) => line.startsWith("| `"));
  const named = rows.flatMap((line) => quoted(line.split("|")[1]));
  expect(named.sort()).toEqual(globSync("*.{sh,ts,py,html}", { cwd: join(ROOT, "examples") }).sort());
});

describe("ARCHITECTURE.md and the design notes", () => {
  const notes = Object.entries(FILES).filter(([path]) => /^(ARCHITECTURE|docs\/design\/.+)\.md$/.test(path));
  const named = notes.flatMap(([path, text]) =>
    quoted(text.replaceAll(/^```.*?^```$/gms, ""))
      .filter((name) => /^[\w.-]+(\/[\w.-]+)*\.(tsx?|css|toml)$/.test(name))
      .map((name) => [path, name] as const),
  );

  test.each(named)("%s names a file that exists: %s", (_, file) => {
    const found = [file, `src/${file}`].filter((path) => existsSync(join(ROOT, path)));
    expect(found).toHaveLength(1);
  });

  test("name every part of scripts/boundaries.ts", () => {
    const parts = Array.from(
      read("scripts/boundaries.ts").matchAll(/^ {2}"?([\w./]+)"?: \[?.*$/gm),
      ([, part]) => part!,
    );
    expect(parts.length).toBeGreaterThan(15);
    for (const part of parts.filter((name) => !name.startsWith("test/")))
      expect(architecture).toContain(`\`${part.replace(/^src\//, "").replace(/^(web|cli)$/, "$1/")}\``);
  });

  test("ARCHITECTURE.md has at most 150 lines", () => {
    expect(architecture.split("\n").length).toBeLessThanOrEqual(150);
  });
});

describe("docs/pdf-tolerance.md", () => {
  test("has rows of five columns", () => {
    expect(rows.length).toBeGreaterThan(100);
    expect(rows.filter((row) => row.length !== 5)).toEqual([]);
  });

  test.each(rows.map((row) => [row[0]!.trim(), ...row.slice(3)]))(
    "says where, and by which test: %s",
    (_, where, tests) => {
      for (const file of quoted(where))
        expect(
          Object.keys(SOURCES).filter((path) => path.startsWith("src/engine/pdf/") && path.endsWith(`/${file}`)),
          file,
        ).toHaveLength(1);
      expect(quoted(tests).length).toBeGreaterThan(0);
      for (const reference of quoted(tests)) {
        const [, file, names = ""] = /^([\w/]+\.test\.ts): (.+)$/.exec(reference) ?? [];
        const paths = Object.keys(TESTS).filter((path) => path.endsWith(`/${file}`));
        expect(paths, `files of ${reference}`).toHaveLength(1);
        // A name is a text of its own there, in whichever quotes.
        const isThere = (name: string) => [`"${name}"`, `\`${name}\``].some((text) => TESTS[paths[0]!]!.includes(text));
        expect(
          names.split(" > ").filter((name) => !isThere(name)),
          `names not in ${file}`,
        ).toEqual([]);
      }
    },
  );
});
