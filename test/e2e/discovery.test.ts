import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PRODUCTS } from "../../src/service/sale/products.ts";
import { type StartedWorker, startWorker } from "../support/worker.ts";

/**
 * Path of the official tool that registers paid services with discovery indexes. In these tests, it can read only the
 * Worker under test.
 */
const TOOL = join(import.meta.dirname, "../../node_modules/@agentcash/discovery/bin/discovery.js");

let worker: StartedWorker;
beforeAll(async () => {
  worker = await startWorker();
});
afterAll(() => worker.stop());

async function discover<T>(...args: string[]): Promise<T> {
  const { stdout } = await promisify(execFile)(process.execPath, [TOOL, ...args, "--json"]);
  return JSON.parse(stdout) as T;
}

interface Found {
  resources: { method: string; path: string; authHint: string; priceHint?: string }[];
  warnings: unknown[];
  meta: { guidanceTokens: number };
}

test("the discovery tool finds all products with their prices and reports no warning", async () => {
  const { resources, warnings, meta } = await discover<Found>(worker.url);
  expect(warnings).toEqual([]);
  const paid = resources.filter(({ authHint }) => authHint === "paid");
  expect(paid).toMatchObject(PRODUCTS.map(({ path }) => ({ method: "POST", path, priceHint: "0.05 USD" })));
  expect(meta.guidanceTokens).toBeGreaterThan(100);
  const hints = Object.fromEntries(resources.map(({ method, path, authHint }) => [`${method} ${path}`, authHint]));
  expect(hints).toMatchObject({ "POST /v1/uploads": "unprotected", "GET /v1/purchases": "siwx" });
});

test.each(PRODUCTS)("the discovery tool reports no warning for $path", async ({ path }) => {
  const { warnings, advisories } = await discover<{ warnings: unknown[]; advisories: { authMode: string }[] }>(
    "check",
    worker.url + path,
  );
  expect(warnings).toEqual([]);
  expect(advisories.map(({ authMode }) => authMode)).toEqual(["paid"]);
});
