/** Checks the documented commands without running them. Other tests run some of these commands. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CommanderError } from "commander";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkFields } from "../../cli/fields.ts";
import { programOf } from "../../cli/main.ts";
import { commandsIn, UNKNOWN } from "../support/shell.ts";
import { type StartedWorker, startWorker } from "../support/worker.ts";

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const DOCUMENTS = globSync("{*,docs/**/*,examples/*,.github/**/*,{src,web,cli,packages,test,bench,scripts}/**/*}.md", {
  cwd: ROOT,
  exclude: (path) => path === "node_modules" || path.endsWith("/node_modules"),
})
  .map((path) => path.replaceAll("\\", "/"))
  .toSorted();

/** Hosts that stand for a deployment in documents. Calls to other hosts are not checked. */
const OWN_HOSTS = ["127.0.0.1:8787", "pdf.example.com"];
/** Paths that do not exist in the repository, because the reader or a command of the document creates them. */
const READERS_PATHS = /^(out|noto|marked|PATH|state|dist)\//;
const DEBIAN_PACKAGES = [
  ...["chromium", "default-jdk-headless", "ghostscript", "poppler-utils"],
  ...["libcommons-io-java", "libcommons-logging-java", "libfontbox2-java", "libjaxb-api-java", "libpdfbox2-java"],
];
/** Programs of the operating system, with a pattern for the arguments that documents may use. */
const PLAIN: Record<string, RegExp> = {
  cat: /./,
  cd: /^overprint$/,
  chmod: /^600( key\.txt)?$/,
  df: /^-h STATE$/,
  dpkg: /^-x \S+\.deb noto$/,
  echo: /./,
  export: /^[A-Z_]+=\S+$/,
  jq: /^-[cs] .*select\(\.event == "(failure|request|runtime)"/,
  openssl: /^rand -hex 32$/,
  qpdf: /^--check \S+$/,
  sha256sum: /^$/,
  sort: /^$/,
  xargs: /^sha256sum$/, // test/e2e/release.test.ts runs the documented pipeline with this command.
};
/** Programs that npx downloads. They are not installed here, so the test cannot check their flags. */
const DOWNLOADED: Record<string, string> = {
  lighthouse: "measured by hand",
  "mppx@0.11": "run by `npm run check:clients`",
  "@modelcontextprotocol/inspector": "run by `npm run check:clients`",
};

interface Command {
  words: string[];
  /** Whether the command is part of a sentence. Its arguments may then be missing. */
  isMention: boolean;
}

/** Returns the commands of a document. Commands are in `sh` blocks or mentioned in sentences. */
function commandsOf(text: string): Command[] {
  const blocks = Array.from(text.matchAll(/^```(?:sh|bash|console)\n(.*?)^```$/gms), ([, script]) => script!);
  const prose = text.replaceAll(/^```.*?^```$/gms, "");
  const mentioned = Array.from(prose.matchAll(/`([^`\n]+)`/g), ([, code]) => code!).filter((code) => {
    const [first, second] = code.split(" ");
    return second !== undefined && first! in CHECKS;
  });
  return [
    ...blocks.flatMap((script) => commandsIn(script).map((words) => ({ words, isMention: false }))),
    ...mentioned.flatMap((script) => commandsIn(script).map((words) => ({ words, isMention: true }))),
  ];
}

type Check = (args: string[], isMention: boolean) => unknown;

/** Checks of commands, by program. A check throws if the command is wrong. */
const CHECKS: Record<string, Check> = {
  npm: checkNpm,
  npx: checkNpx,
  overprint: checkOverprint,
  curl: checkCurl,
  docker: checkDocker,
  "apt-get": ([action, ...packages]) => {
    expect(action).toBe("install");
    for (const name of packages) expect(DEBIAN_PACKAGES).toContain(name);
  },
  cp: ([source]) => expectPath(source!),
  git: ([action, ...paths]) => {
    expect(["clone", "checkout", "ls-files", "pull"]).toContain(action);
    if (action === "ls-files") for (const path of paths) expectPath(path);
  },
  node: checkNode,
  python3: ([script]) => expectFile(script!),
  sh: ([script]) => expectFile(script!),
  bash: ([script]) => expectFile(script!),
  query: () => undefined, // The program is a shell function that the same block defines.
};
for (const [program, pattern] of Object.entries(PLAIN))
  CHECKS[program] = (args) => expect(args.join(" ")).toMatch(pattern);

/**
 * Expects that the repository has this path.
 * @throws an assertion error if the path does not exist
 */
function expectPath(path: string): void {
  expect(existsSync(join(ROOT, path)), `${path} exists`).toBe(true);
}

/** Expects that a path exists. Skips a name without a folder, because it stands for a file of the reader. */
function expectFile(path: string): void {
  if (/^[.\w][\w.-]*\/[\w./-]+$/.test(path) && !READERS_PATHS.test(path)) expectPath(path);
}

function checkNode([first = "", ...args]: string[], isMention: boolean): unknown {
  if (first.endsWith("cli/overprint.js")) return checkOverprint(args, isMention);
  if (first === "-p") return expect(args.length).toBeGreaterThan(0);
  for (const arg of [first, ...args]) expectFile(arg);
}

const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };

function checkNpm([action = "", ...rest]: string[], isMention: boolean): unknown {
  const args = rest.filter((word) => word !== "-s");
  if (action === "ci") return expect(args.filter((word) => word !== "--include=dev")).toEqual([]);
  if (action === "pack" || action === "login") return expect(args).toEqual([]);
  if (action === "publish") return expect(args).toEqual([UNKNOWN, "--access", "public"]);
  if (action === "install") return expect(args.join(" ")).toMatch(/^-g PATH\/overprint-[\d.]+\.tgz$/);
  const name = action === "test" ? "test" : args.shift()!;
  expect(action === "run" || action === "test", `npm ${action}`).toBe(true);
  expect(scripts, "package.json").toHaveProperty([name]);
  if (args.length === 0) return;
  expect(args.shift()).toBe("--");
  const command = scripts[name]!;
  const [, own] = /cli\/overprint\.js (\w+)/.exec(command) ?? [];
  if (own) return checkOverprint([own, ...args], isMention);
  if (command.includes("vitest.mjs")) return checkVitest(args);
  const [, tool] = /wrangler\/bin\/wrangler\.js (\w+)$/.exec(command) ?? [];
  if (tool) return checkWrangler([tool, ...args]);
  const [, source = ""] = / ([\w/]+\.m?[jt]s)$/.exec(command) ?? [];
  const parts = globSync(`{${source},${source.replace(/\.ts$/, "")}/*.ts}`, { cwd: ROOT });
  const texts = parts.map(read).join("\n");
  for (const arg of args) {
    expectFile(arg);
    const [, flag] = /^--([\w-]+)$/.exec(arg) ?? [];
    if (flag) expect(texts, `${source} has --${flag}`).toMatch(new RegExp(`--${flag}\\b|["']?\\b${flag}["']?[:,\\]]`));
  }
}

function checkNpx(words: string[], isMention: boolean): unknown {
  const [name = "", ...args] = words.filter((word) => word !== "-y");
  if (name === "@overprint/cli") return checkOverprint(args, isMention);
  if (name === "vitest") return checkVitest(args);
  if (name === "wrangler") return checkWrangler(args);
  if (name === "tsc") return expectPath(join(args[args.indexOf("-p") + 1] ?? "", "tsconfig.json"));
  if (name === "-p") {
    expect(args.slice(0, 2)).toEqual(["node@24", "node"]);
    return checkNode(args.slice(2), isMention);
  }
  expect(Object.keys(DOWNLOADED)).toContain(name);
}

function checkVitest(args: string[]): void {
  const projects = Array.from(read("vitest.config.mts").matchAll(/name: "(\w+)"/g), ([, name]) => name);
  for (const [at, arg] of args.entries()) {
    if (args[at - 1] === "-t" || args[at - 1] === "--testTimeout") continue;
    if (args[at - 1] === "--project") expect(projects).toContain(arg);
    else if (arg.startsWith("-")) expect(["--project", "-t", "--testTimeout"]).toContain(arg);
    else if (arg !== "run") expectPath(arg);
  }
}

/**
 * Checks a command of wrangler against the command table in wrangler's sources, because starting wrangler takes over a
 * second.
 */
function checkWrangler(args: string[]): void {
  const sources = readWrangler();
  const named = args.findIndex((arg) => arg.startsWith("-") || arg.includes("/"));
  const name = args.slice(0, named < 0 ? args.length : named).join(" ");
  const [, definition] = new RegExp(`command: "wrangler ${name}",\\s*definition: (\\w+)`).exec(sources) ?? [];
  expect(definition, `wrangler ${name}`).toBeDefined();
  const begin = sources.indexOf(`${definition} = createCommand({`);
  const text = sources.slice(begin, sources.indexOf("\n    });", begin));
  for (const arg of args) {
    const [, flag] = /^--([\w-]+)$/.exec(arg) ?? [];
    if (flag) expect(text, `wrangler ${name} --${flag}`).toMatch(new RegExp(`\\b"?${flag}"?: \\{`));
  }
}

let wranglerSources: string | undefined;
function readWrangler(): string {
  wranglerSources ??= read("node_modules/wrangler/wrangler-dist/cli.js");
  return wranglerSources;
}

/**
 * Parses a command line of `overprint` with the program's own parser and checks the field values, without running the
 * command.
 */
function checkOverprint(args: string[], isMention: boolean): void {
  const program = programOf(process);
  for (const command of program.commands) {
    command.action(() => {
      const options = command.opts();
      if (options.each) options.text = options.text.replaceAll(/\{(name|company)\}/g, "A"); // columns of names.csv
      if (!isMention && ["mark", "buy", "demo"].includes(command.name()) && (options.text ?? options.image))
        checkFields(options);
    });
  }
  try {
    // A mention may have placeholders such as <file>, which are not arguments.
    const written = isMention ? args.filter((arg) => !/^<.+>$/.test(arg)) : args;
    program.parse(written, { from: "user" });
  } catch (error) {
    const isShort =
      error instanceof CommanderError && ["commander.help", "commander.missingArgument"].includes(error.code);
    if (!(isMention && isShort)) throw error;
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a document that is walked through
type Json = Record<string, any>;
let worker: StartedWorker;
let api: Json;
beforeAll(async () => {
  worker = await startWorker();
  api = (await (await fetch(`${worker.url}/openapi.json`)).json()) as Json;
});
afterAll(() => worker?.stop());

/** Routes for the operator, which the API description omits. */
const OTHER_ROUTES: Record<string, Json> = {
  "/v1/operator/sales": {
    get: {
      parameters: [
        { in: "query", name: "day" },
        { in: "query", name: "after" },
        { in: "header", name: "Authorization" },
      ],
    },
  },
};
/** Standard HTTP headers in the documented commands. */
const HTTP_HEADERS = ["Accept", "Content-Type", "Range"];
/** Flags of curl in the documented commands. The value says whether the flag takes an argument. */
const CURL_FLAGS: Record<string, boolean> = {
  ...{ "-s": false, "-i": false, "-g": false },
  ...{ "-o": true, "-r": true, "-X": true, "-H": true, "-F": true, "-d": true, "-T": true, "--data-binary": true },
};

function checkCurl(args: string[]): void {
  const flags: [name: string, value: string][] = [];
  const addresses: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!;
    if (!arg.startsWith("-")) addresses.push(arg);
    else {
      expect(Object.keys(CURL_FLAGS), "flags of curl").toContain(arg);
      flags.push([arg, CURL_FLAGS[arg] ? args[++at]! : ""]);
    }
  }
  const values = (...names: string[]) => flags.flatMap(([name, value]) => (names.includes(name) ? [value] : []));
  for (const value of values("-F", "-d", "--data-binary")) {
    const [, file] = /^(?:\w+=)?@(.*)$/.exec(value) ?? [];
    if (file) expectFile(file);
  }
  values("-T").forEach(expectFile);
  expect(addresses).toHaveLength(1);
  const [address = ""] = addresses;
  // Skips an address that is a link from an earlier answer, because this test does not know the link.
  if (address.startsWith(UNKNOWN) && !address.startsWith(`${UNKNOWN}/`)) return;
  const url = new URL(address.replace(new RegExp(`^${UNKNOWN}/`), `http://${OWN_HOSTS[0]}/`));
  if (!OWN_HOSTS.includes(url.host) || url.pathname === "/metrics") return; // the API description leaves out /metrics, which is for Prometheus

  const isSending = values("-F", "-d", "--data-binary").length > 0;
  const method = values("-X")[0] ?? (values("-T").length > 0 ? "PUT" : isSending ? "POST" : "GET");
  const { operation, shared } = operationAt(decodeURIComponent(url.pathname), method.toLowerCase());
  const parameters: Json[] = [...shared, ...(operation.parameters ?? [])].map(resolve);
  const named = (place: string) => parameters.flatMap((parameter) => (parameter.in === place ? [parameter.name] : []));
  for (const name of url.searchParams.keys()) expect(named("query"), `${method} ${url.pathname}`).toContain(name);

  const schemes = Object.values(api.components.securitySchemes as Json).map(resolve);
  const headers = [...HTTP_HEADERS, ...named("header"), ...schemes.map(({ name }) => name)];
  for (const header of values("-H")) expect(headers).toContain(header.split(":")[0]);

  const { content = {} } = resolve(operation.requestBody ?? {});
  const [, type] =
    /^Content-Type: (.*)$/i.exec(values("-H").find((header) => /^Content-Type:/i.test(header)) ?? "") ?? [];
  if (type && !("*/*" in content)) expect(Object.keys(content), `${method} ${url.pathname}`).toContain(type);
  const fieldsOf = (mediaType: string) => Object.keys(resolve(content[mediaType]?.schema ?? {}).properties ?? {});
  for (const field of values("-F")) expect(fieldsOf("multipart/form-data")).toContain(field.split("=")[0]);
  for (const json of values("-d"))
    for (const name of Object.keys(JSON.parse(json) as object)) expect(fieldsOf("application/json")).toContain(name);
}

/** Returns the operation of the API description for a path and a method. */
function operationAt(path: string, method: string): { operation: Json; shared: Json[] } {
  const routes = { ...(api.paths as Json), ...OTHER_ROUTES };
  const template = Object.keys(routes).find((route) => {
    const pattern = route.replaceAll(/[.]/g, "\\.").replaceAll(/\{\w+\}/g, "[^/]+");
    return new RegExp(`^${pattern}$`).test(path);
  });
  expect(template, `a route for ${path}`).toBeDefined();
  const route = routes[template!];
  expect(Object.keys(route), `methods of ${template}`).toContain(method);
  return { operation: route[method], shared: route.parameters ?? [] };
}

function resolve(part: Json): Json {
  if (part.$ref === undefined) return part;
  const steps = (part.$ref as string).slice(2).split("/");
  return resolve(steps.reduce((at, name) => at[name], api));
}

/** Checks that the Dockerfile contains the parts that documented commands use. */
function checkDocker([action, ...args]: string[]): void {
  const dockerfile = read("Dockerfile");
  expect(["build", "buildx", "run", "network", "logs"]).toContain(action);
  for (const [at, arg] of args.entries()) {
    const value = args[at + 1] ?? "";
    if (arg === "-p") expect(dockerfile).toContain(`EXPOSE ${value.split(":").at(-1)}`);
    if (arg === "-v") expect(dockerfile).toContain(`VOLUME ${value.split(":")[1]}`);
  }
}

function check([program = "", ...args]: string[], isMention: boolean): void {
  expect(Object.keys(CHECKS), "programs with a check").toContain(program);
  CHECKS[program]!(args, isMention);
}

const cases = DOCUMENTS.flatMap((path) => {
  const unique = new Map(commandsOf(read(path)).map((command) => [JSON.stringify(command), command]));
  return [...unique.values()].map(({ words, isMention }) => [path, words.join(" "), words, isMention] as const);
});

test("the documents contain more than 100 different commands to check", () => {
  expect(cases.length).toBeGreaterThan(100);
});

test.each(cases)("the document %s contains only valid commands: %s", (_, __, words, isMention) =>
  check(words, isMention),
);

test("every document that runs a package of the project with npx says that the package is not published yet", () => {
  const naming = DOCUMENTS.filter((path) => read(path).includes("npx @overprint/"));
  expect(naming).not.toEqual([]);
  expect(naming.filter((path) => !read(path).replaceAll(/\s+/g, " ").includes("not published yet"))).toEqual([]);
});

test.each([
  "npm run nothing",
  "npm run deploy -- --key-fil test.key",
  "npm run words -- docs/nothing.md",
  "npm test -- test/engine/nothing.test.ts",
  "npx vitest run --project nothing",
  "npx wrangler r2 object remove a/b",
  "npx wrangler tail --form json",
  "npx overprint mark a.pdf --text A", // the npm package `overprint` is an unrelated program
  "node cli/overprint.js make a.pdf --text A",
  "node cli/overprint.js mark a.pdf --txt A",
  "node cli/overprint.js mark a.pdf --text A --opacity 2",
  "npm run demo -- a.pdf --text A --position middle-ish",
  "curl http://127.0.0.1:8787/v1/watermark/txt -F text=A",
  "curl -X DELETE http://127.0.0.1:8787/v1/limits",
  "curl http://127.0.0.1:8787/v1/watermark/text -F txt=A",
  "curl http://127.0.0.1:8787/v1/watermark/text -F file=@examples/nothing.pdf",
  "curl -H 'X-PAID: …' http://127.0.0.1:8787/v1/watermark/text -F text=A",
  "curl -X POST 'http://127.0.0.1:8787/v1/watermark/text?txt=A'",
  `curl http://127.0.0.1:8787/v1/uploads -d '{"nam": "a.pdf"}'`,
  "curl --fail-fast http://127.0.0.1:8787/v1/limits",
  "apt-get install nothing",
  "docker run -v state:/nothing overprint",
  "node examples/nothing.ts",
  "cp .env.nothing .env.production",
  "telnet 127.0.0.1",
])("the checks of documented commands reject the invalid command %s", (script) => {
  expect(() => {
    for (const words of commandsIn(script)) check(words, false);
  }).toThrow();
});

test.each<[string, string[][]]>([
  ["a 'b c' \"d $e\" # f", [["a", "b c", `d ${UNKNOWN}`]]],
  ["a \\\n  b && c; d | e > f < g", [["a", "b"], ["c"], ["d"], ["e"]]],
  [`A=b; c "$A/d" \${A}`, [["c", "b/d", "b"]]],
  ['a "$(b \'c)\' "$(d)")" e', [["d"], ["b", "c)", UNKNOWN], ["a", UNKNOWN, "e"]]],
  ["for a in b c; do d; done\nf() { g; }", [["d"], ["g"]]],
  ["git clone <this repository> a", [["git", "clone", "<this repository>", "a"]]],
])("the parser of documented shell scripts finds the commands in %j", (script, commands) => {
  expect(commandsIn(script)).toEqual(commands);
});

test.each(["a 'b", 'a "b', "a $(b"])(
  "the parser of documented shell scripts rejects the unclosed script %j",
  (script) => {
    expect(() => commandsIn(script)).toThrow("not closed");
  },
);
