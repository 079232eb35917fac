/** Tests `npm run upgrade` against a local Worker, some of whose answers are replaced by those of another build. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { COMPATIBILITY, compatibilityOf } from "../../scripts/lib/compatibility.ts";
import { upgrade } from "../../scripts/upgrade/upgrade.ts";
import { storageFolder } from "../support/storageFolder.ts";
import { type StartedWorker, startWorker } from "../support/worker.ts";

const OPERATOR_TOKEN = "operators-only-operators-only-0123";
const PAY_TO = "0x00000000000000000000000000000000C0FFEE06";
const RECORDS = "/v1/operator/records";
const CHANNELS = "/v1/operator/channels";
const root = join(import.meta.dirname, "../..");

let folder: string;
let worker: StartedWorker;
let deployment: Server;
let url: string;
/** Answers of another build, by path. Null stands for a route that the build lacks. */
let answers: Record<string, object | null> = {};
/** Methods of the requests that the deployment has received. */
const methods = new Set<string>();
beforeAll(async () => {
  folder = await mkdtemp(join(storageFolder(), "overprint-upgrade-"));
  worker = await startWorker({ OPERATOR_TOKEN });
  deployment = createServer(async (request, response) => {
    methods.add(request.method!);
    const { pathname, search } = new URL(request.url!, "http://localhost");
    const answer = answers[pathname];
    if (answer !== undefined) return response.writeHead(answer ? 200 : 404).end(JSON.stringify(answer ?? {}));
    const { authorization = "" } = request.headers;
    const real = await fetch(worker.url + pathname + search, { headers: { authorization } });
    response.writeHead(real.status).end(Buffer.from(await real.arrayBuffer()));
  });
  await new Promise<void>((resolve) => deployment.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(deployment.address() as AddressInfo).port}`;
});
afterEach(() => {
  answers = {};
});
afterAll(async () => {
  deployment?.close();
  deployment?.closeAllConnections();
  await worker?.stop();
  if (folder) await rm(folder, { recursive: true, force: true });
});

/** Runs the command with settings. Returns its exit code and output. */
async function run(args: string[], settings: Record<string, string> = {}, token = OPERATOR_TOKEN) {
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  const file = join(folder, "settings.env");
  const all = { PAY_TO, FACILITATOR_URL: "https://facilitator.example.com", ...settings };
  await writeFile(
    file,
    Object.entries(all)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(""),
  );
  const surroundings = { settingsFile: file, env: { OPERATOR_TOKEN: token }, print, complain: print };
  return [await upgrade(["--url", url, ...args], surroundings), lines.join("\n")] as const;
}

const OTHER_SOURCES = { version: "0.3.0", source: "0".repeat(64), status: "pass", problems: [] };
/** Makes the deployment answer like another build, which differs from this checkout in `change`. */
const otherBuild = async (change: object = {}, health: object = {}) => {
  answers["/healthz"] = { ...OTHER_SOURCES, ...health };
  answers[COMPATIBILITY] = { ...(await compatibilityOf(root)), ...change };
};

test("npm run upgrade finds nothing to upgrade in a deployment of the same sources", async () => {
  expect(await run(["--check"])).toEqual([0, expect.stringContaining("already runs the sources of this checkout")]);
});

test("npm run upgrade --check reports a safe upgrade if nothing is open, and changes nothing in the deployment", async () => {
  await otherBuild();
  const [code, words] = await run(["--check"]);
  expect(words).toContain("The deployment runs 0.3.0");
  expect(words).toContain("✓ No payment is open.");
  expect(words).toContain("The upgrade is safe now. Make a backup first");
  expect(code).toBe(0);
  expect([...methods]).toEqual(["GET"]);
});

test("npm run upgrade --check names new, removed and changed settings", async () => {
  const { settings } = await compatibilityOf(root);
  const { MAX_PAGES: _, DNS_CHECK_URL: __, ...rest } = settings;
  await otherBuild({ settings: { ...rest, LINK_TTL_SECONDS: "3600", OLD_LIMIT: "1" } });
  const [code, words] = await run(["--check"]);
  expect(words).toContain("New setting: MAX_PAGES, by default 50000");
  expect(words).toContain("New setting: DNS_CHECK_URL, not set by default");
  expect(words).toContain("Removed setting: OLD_LIMIT");
  expect(words).toContain("New default of LINK_TTL_SECONDS: 86400, before 3600");
  expect(code).toBe(0);
  const [stopped, why] = await run(["--check"], { OLD_LIMIT: "5", LINK_TTL_SECONDS: "3600" });
  expect(why).toContain("✗ Removed setting, which you set: OLD_LIMIT. Next: Delete OLD_LIMIT");
  expect(why).not.toContain("New default of LINK_TTL_SECONDS");
  expect(stopped).toBe(1);
});

test("npm run upgrade refuses an upgrade if this checkout rejects a setting of the deployment", async () => {
  await otherBuild();
  const [code, words] = await run(["--check"], { MAX_PAGES: "many", NETWORK: "base" });
  expect(words).toMatch(/✗ settings\.env: .*MAX_PAGES/);
  expect(words).toContain("NETWORK is not a setting. Use NETWORKS");
  expect(code).toBe(1);
});

test.each([
  [{ records: 2 }, "writes records of version 2, and this checkout reads at most version 1"],
  [{ durableObjects: ["Ledger", "Budget", "Archive"] }, "no Durable Objects of the class Archive"],
])("npm run upgrade refuses an upgrade that would lose records: %j", async (change, words) => {
  await otherBuild(change);
  expect(await run(["--check"])).toEqual([1, expect.stringContaining(words)]);
});

test("npm run upgrade allows open payments, unless the version of the records changes", async () => {
  const at = (ms: number) => JSON.stringify({ at: Date.now() - ms });
  const records = [
    ["open:a", at(1000)],
    ["open:b", at(3_600_000)],
  ];
  await otherBuild();
  answers[RECORDS] = { version: 1, alarm: null, records, next: null };
  const [code, words] = await run(["--check"]);
  expect(words).toContain("2 open payments, 1 of them for more than ten minutes. They continue after the upgrade");
  expect(code).toBe(0);
  await otherBuild({ records: 0 });
  const [stopped, why] = await run(["--check"]);
  expect(why).toContain("Records change from version 0 to 1");
  expect(why).toContain("Next: Set SELLING=false");
  expect(stopped).toBe(1);
});

test("npm run upgrade requires that channels with an urgent withdrawal are claimed first", async () => {
  const channel = (hours: number | null) => ({
    ...{ channel: "0x1", network: "base", chain: "eip155:8453", payer: "0x2", decimals: 6, sold: "2", claimed: "1" },
    ...{ balance: "9", unclaimed_since: new Date().toISOString(), claims: [] },
    deadline: hours === null ? null : new Date(Date.now() + hours * 3_600_000).toISOString(),
  });
  await otherBuild();
  answers[CHANNELS] = { channels: [channel(null), channel(20)] };
  expect(await run(["--check"])).toEqual([0, expect.stringContaining("2 payment channels have unclaimed sales")]);
  answers[CHANNELS] = { channels: [channel(1)] };
  expect(await run(["--check"])).toEqual([1, expect.stringContaining("1 payment channels must be claimed")]);
});

test("npm run upgrade refuses an upgrade of a deployment that fails its health check, and names the problem", async () => {
  await otherBuild({}, { status: "fail", problems: ["the binding RESULTS is missing"] });
  expect(await run(["--check"])).toEqual([1, expect.stringContaining("the binding RESULTS is missing")]);
});

test("npm run upgrade accepts a deployment of 0.2.0, which lists neither its settings nor its open payments", async () => {
  answers = { "/healthz": OTHER_SOURCES, [COMPATIBILITY]: null, [RECORDS]: null, [CHANNELS]: null };
  const [code, words] = await run(["--check"]);
  expect(words).toContain("does not list its settings");
  expect(words).toContain("does not list its open payments");
  expect(words).toContain("The running build cannot be backed up, so make the first backup after the upgrade");
  expect(code).toBe(0);
});

test("npm run upgrade fails with a wrong token, an unreachable address or a wrong argument", async () => {
  expect(await run(["--check"], {}, "another-token-of-another-operator")).toEqual([
    2,
    expect.stringContaining("another OPERATOR_TOKEN"),
  ]);
  expect(await run(["--check", "--url", "http://127.0.0.1:1"])).toEqual([
    2,
    expect.stringContaining("cannot be reached"),
  ]);
  expect((await run(["--now"]))[0]).toBe(2);
});

test("npm run upgrade without --check lists the steps without a request to the deployment", async () => {
  methods.clear();
  const [code, words] = await run([]);
  expect([code, methods.size]).toEqual([0, 0]);
  for (const step of ["npm run backup", "npm run upgrade -- --check", "npm run deploy"]) expect(words).toContain(step);
});
