import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { LARGE_BYTES } from "../../../src/inputs/largeFileSlot.ts";
import { receive } from "../../../src/inputs/receive.ts";
import { CallContext } from "../../../src/service/sale/callContext.ts";
import { readConfig } from "../../../src/settings/config.ts";
import { inOne } from "../../support/bytes.ts";
import { storedKeys } from "../../support/storage.ts";

test.each([
  ["https://api.example.com/a", undefined, "https://api.example.com"],
  ["http://localhost:8787/a", undefined, "http://localhost:8787"],
  ["https://api.example.com/a", "files.example.com", "https://files.example.com"],
  ["http://api.example.com/a", "Files.example.com:8443", "https://files.example.com:8443"],
  ["http://127.0.0.1:8787/a", "localhost:8787", "http://localhost:8787"],
])("the result links of a call to %s with the file host %s start with %s", (url, FILE_HOST, origin) => {
  const exchange = { request: new Request(url), requestId: "test", env, config: readConfig({ FILE_HOST }), facts: {} };
  expect(new CallContext({ ...exchange, waitUntil: () => {} }, undefined, undefined).origin).toBe(origin);
});

test("disposing a call releases its large-file slot and its files", async () => {
  const settings = { SPOOL_THRESHOLD_BYTES: String(LARGE_BYTES + 1), MAX_LARGE_FILES: "1" };
  const exchange = {
    request: new Request("http://localhost"),
    requestId: "test",
    env,
    config: readConfig(settings),
    facts: {},
  };
  const spooled = async () => (await storedKeys("spool/")).length;
  for (let calls = 0; calls < 2; calls++) {
    await using call = new CallContext({ ...exchange, waitUntil: () => {} }, undefined, undefined);
    const { content } = await receive(inOne(new Uint8Array(LARGE_BYTES + 2)), call.receiving.file);
    expect([content.length, await spooled()]).toEqual([LARGE_BYTES + 2, 1]);
  }
  expect(await spooled()).toBe(0);
});
