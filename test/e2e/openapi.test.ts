import { execFile, spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import spectral from "@stoplight/spectral-core";
import rulesets from "@stoplight/spectral-rulesets";
import openapiTypescript, { astToString } from "openapi-typescript";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { samplePdf } from "../../scripts/lib/samplePdf.ts";
import { DEVELOPMENT_KEY } from "../../src/payments/facilitators/localFacilitator.ts";
import { type StartedWorker, startWorker } from "../support/worker.ts";

const root = join(import.meta.dirname, "../..");

let worker: StartedWorker;
let text: string;
beforeAll(async () => {
  worker = await startWorker();
  text = await (await fetch(`${worker.url}/openapi.json`)).text();
});
afterAll(() => worker?.stop());

describe("/openapi.json", () => {
  test("/openapi.json passes the linter Spectral", async () => {
    const linter = new spectral.Spectral();
    linter.setRuleset({ extends: [rulesets.oas] } as never);
    const found = await linter.run(text);
    expect(found.map(({ code, path, message }) => `${code} ${path.join("/")} ${message}`)).toEqual([]);
  });

  test("/openapi.json passes the linter Redocly", async () => {
    const config = await createConfig({ extends: ["recommended"] });
    const found = await lintFromString({ source: text, config, absoluteRef: "openapi.json" } as never);
    expect(found.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer} ${message}`)).toEqual([]);
  });
});

/** Returns all regular expressions in the API description and in the schemas of the MCP tools. */
async function patterns(): Promise<string[]> {
  const message = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
  const tools = await fetch(`${worker.url}/mcp`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream" },
    body: JSON.stringify(message),
  });
  const found = new Set<string>();
  const json = /\{.*\}/.exec(await tools.text())![0];
  for (const document of [text, json])
    JSON.parse(document, (key, value: unknown) => {
      if (key === "pattern" && typeof value === "string") found.add(value);
      return value;
    });
  return [...found];
}

describe("published regular expressions", () => {
  test("regular expressions in /openapi.json and the MCP tools are valid with and without the flag u, and use no Unicode properties", async () => {
    const published = await patterns();
    expect(published.length).toBeGreaterThan(4);
    for (const pattern of published) {
      expect(pattern).not.toMatch(/\\[pPu]/);
      expect(() => [new RegExp(pattern), new RegExp(pattern, "u")]).not.toThrow();
    }
    const color = published.find((pattern) => pattern.startsWith("^#"))!;
    expect(["#FF0000", "#ff0000", "#Ff00aA"].every((value) => new RegExp(color).test(value))).toBe(true);
    const url = published.filter((pattern) => pattern.includes("[Hh]"));
    expect(url.every((pattern) => new RegExp(pattern).test("HTTPS://example.com/a.pdf"))).toBe(true);
  });

  const python = spawnSync("python3", ["--version"]).status === 0;
  test.skipIf(!python)(
    "regular expressions in /openapi.json and the MCP tools are valid in Python (skipped without python3)",
    async () => {
      const published = await patterns();
      const program = "import json, re, sys\nfor pattern in json.load(sys.stdin): re.compile(pattern)";
      const { status, stderr } = spawnSync("python3", ["-c", program], { input: JSON.stringify(published) });
      expect([status, String(stderr)]).toEqual([0, ""]);
    },
  );
});

/** Source code of a client that uses the generated types. Lines after `@ts-expect-error` must not compile. */
const CLIENT = `
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { wrapFetchWithPaymentFromConfig } from "@x402/fetch";
import createClient from "openapi-fetch";
import { privateKeyToAccount } from "viem/accounts";
import type { components, paths } from "./service.ts";

const [baseUrl, key, file] = process.argv.slice(2) as [string, \`0x\${string}\`, string];
const scheme = new ExactEvmScheme(privateKeyToAccount(key));
const pays = wrapFetchWithPaymentFromConfig(fetch, { schemes: [{ network: "eip155:*", client: scheme }] });
const client = createClient<paths>({ baseUrl, fetch: pays });

const { data, error, response } = await client.POST("/v1/watermark/text", {
  params: { header: { "Idempotency-Key": crypto.randomUUID() } },
  body: { file, text: "DRAFT", template: "stamp", position: "top-right" },
});
if (!data) throw new Error(\`\${response.status} \${JSON.stringify(error)}\`);
const pages: number = data.output.pages;
const cost: "0.05 USDC" = data.cost;

const unpaid = await createClient<paths>({ baseUrl }).POST("/v1/watermark/text", { body: { file, text: "DRAFT" } });
if (!unpaid.error || !("accepts" in unpaid.error)) throw new Error("expected the terms");
const asked: string = unpaid.error.accepts[0]!.maxAmountRequired;

const problem: components["schemas"]["Problem"]["code"] = "not_a_pdf";
const limits = await client.GET("/v1/limits");
const megabytes: number | undefined = limits.data && limits.data.file_bytes / 1e6;

export async function wrong() {
  // @ts-expect-error: a text is required
  await client.POST("/v1/watermark/text", { body: { file } });
  // @ts-expect-error: there is no such position
  await client.POST("/v1/watermark/text", { body: { file, text: "A", position: "somewhere" } });
  // @ts-expect-error: images do not follow the diagonal
  await client.POST("/v1/watermark/image", { body: { file, image: file, position: "diagonal" } });
}
console.log(JSON.stringify({ pages, cost, asked, problem, megabytes }));
`;

test("types generated from /openapi.json compile, and a client built with them can pay", async () => {
  await mkdir(join(root, "out"), { recursive: true });
  const folder = await mkdtemp(join(root, "out/client-"));
  try {
    await writeFile(join(folder, "service.ts"), astToString(await openapiTypescript(text)));
    await writeFile(join(folder, "client.ts"), CLIENT);
    const compilerOptions = {
      ...{ target: "es2024", module: "nodenext", lib: ["esnext"], types: ["node"], strict: true, noEmit: true },
      ...{ noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true },
      ...{ allowImportingTsExtensions: true, skipLibCheck: true },
    };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
    await writeFile(join(folder, "package.json"), '{"type":"module"}');
    const compiled = spawnSync(process.execPath, [join(root, "node_modules/typescript-7/bin/tsc"), "-p", folder]);
    expect(String(compiled.stdout)).toBe("");

    const file = `data:application/pdf;base64,${Buffer.from(await samplePdf()).toString("base64")}`;
    const args = [join(folder, "client.ts"), worker.url, DEVELOPMENT_KEY, file];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    expect(JSON.parse(stdout)).toEqual({
      ...{ pages: 4, cost: "0.05 USDC", asked: "50000" },
      ...{ problem: "not_a_pdf", megabytes: 1000 },
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
