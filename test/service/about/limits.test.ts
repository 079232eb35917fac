import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import table from "../../../docs/limits.md?raw";
import { app } from "../../../src/app.ts";
import { limits, limitsOf } from "../../../src/service/about/limits.ts";
import { readConfig } from "../../../src/settings/config.ts";
import { send } from "../../support/client.ts";

test("GET /v1/limits returns every limit in force, in the schema of /openapi.json", async () => {
  const response = await send("/v1/limits");
  expect(response.status).toBe(200);
  expect(limits().parse(await response.json())).toMatchObject({
    price: "0.05 USDC",
    file_pages: 50_000,
    scanned_times: 64,
    scanned_bytes: 256 << 20,
    decompressed_bytes: 512 << 20,
    added_bytes_per_page: 4096,
    body_text_bytes: 1_000_000,
    field_bytes: 256 << 10,
    payer_calls: 8,
    payer_requests: 100,
    text_characters: 500,
    scripts: expect.arrayContaining(["Latn", "Hani", "Orya", "Adlm", "Tibt"]),
    fetch_ports: [80, 443],
    link_seconds: 86_400,
  });
  const { components } = await (await send("/openapi.json")).json<{
    components: { schemas: { Limits: { required: string[] } } };
  }>();
  expect(components.schemas.Limits.required).toEqual(Object.keys(limits().shape));
});

test("GET /v1/limits returns the limits that the deployment's settings define", async () => {
  const context = createExecutionContext();
  const settings = { ...env, MAX_PAGES: "7", LINK_TTL_SECONDS: "600", FETCH_TIMEOUT_SECONDS: "3" };
  const response = await app.fetch(new Request("http://localhost/v1/limits"), settings, context);
  await waitOnExecutionContext(context);
  expect(await response.json()).toMatchObject({ file_pages: 7, link_seconds: 600, fetch_seconds: 3 });
});

describe("docs/limits.md", () => {
  const rows = Array.from(table.matchAll(/^\| `([a-z_]+)` \| (.+?) \| (.+) \|$/gm), ([, name, value, changed]) => ({
    ...{ name: name as keyof ReturnType<typeof limitsOf>, value: value!, changed: changed! },
  }));
  const defaults = limitsOf(readConfig({}));

  test("docs/limits.md lists every limit once with its default", () => {
    expect(rows.map(({ name }) => name)).toEqual(Object.keys(defaults));
    for (const { name, value } of rows.filter((row) => row.name !== "scripts")) {
      const shown = typeof defaults[name] === "number" ? defaults[name].toLocaleString("en") : String(defaults[name]);
      expect([name, value.replaceAll(", ", ",").replaceAll(",", "")]).toEqual([name, shown.replaceAll(",", "")]);
    }
  });

  const changes = rows.flatMap(({ name, changed }) => {
    const [, setting] = /^`([A-Z_]+)`(?! in)/.exec(changed) ?? [];
    return setting === undefined ? [] : [[name, setting] as const];
  });

  const otherThanDefault = (setting: string) =>
    ["LINK_TTL_SECONDS", "MAX_CALLS_PER_PAYER"].includes(setting) ? "700" : "7";

  test.each(changes)("the limit %s depends on the setting %s, as docs/limits.md states", (name, setting) => {
    expect(limitsOf(readConfig({ [setting]: otherThanDefault(setting) }))[name]).not.toEqual(defaults[name]);
  });

  test("a limit for which docs/limits.md names no setting stays the same if every named setting changes", () => {
    const settings = Object.fromEntries(changes.map(([, setting]) => [setting, otherThanDefault(setting)]));
    const changed = limitsOf(readConfig(settings));
    const others = rows.map(({ name }) => name).filter((name) => !changes.some(([listed]) => listed === name));
    for (const name of others) expect([name, changed[name]]).toEqual([name, defaults[name]]);
  });
});
