import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { generatePrivateKey } from "viem/accounts";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import design from "../../../docs/design/round-trips.md?raw";
import { signPayment } from "../../../scripts/lib/pay.ts";
import { app } from "../../../src/app.ts";
import { PRICE, paymentOf, TestPayer } from "../../payments/channels.ts";
import { formOf, IMAGE, TEXT } from "../../support/client.ts";
import { terms } from "../../support/deployment.ts";
import { onePage } from "../../support/pdf.ts";
import { Rounds } from "../../support/rounds.ts";

vi.setConfig({ testTimeout: 60_000 });
afterEach(() => vi.restoreAllMocks());
beforeEach(() => {
  payer = generatePrivateKey(); // Each test has a new payer, so no call repeats the content of an earlier test.
});

const ORIGIN = "https://api.example.com";
const FACILITATOR_URL = "https://facilitator.example.com/good";
const JSON_TYPE = { "Content-Type": "application/json" };
const PDF = "https://files.example.com/one-page.pdf";
const PNG = "https://files.example.com/red.png";
let payer = generatePrivateKey();
const sign = async () => ({ "X-PAYMENT": await signPayment(await terms(), payer) });
const post = (headers: object, fields: object) => ({
  headers: { ...JSON_TYPE, ...headers },
  body: JSON.stringify(fields),
});

const CHANNELS_URL = `https://facilitator.example.com/channels-${crypto.randomUUID()}`;
const channelPayer = new TestPayer();
/** Pays for a call through a payment channel. */
const onChannel = (payload: object) =>
  post({ "PAYMENT-SIGNATURE": btoa(JSON.stringify(paymentOf(payload))) }, { ...byAddress, text: crypto.randomUUID() });

/**
 * Sends a request to a deployment with its own bindings. Returns the round trips before the answer and those after it.
 */
async function counted(path: string, init: RequestInit = {}, facilitator = FACILITATOR_URL) {
  const world = new Rounds();
  const context = createExecutionContext();
  const bindings = { ...env, PAY_TO: `0x${"aa".repeat(20)}`, FACILITATOR_URL: facilitator, ...world.bindings(env) };
  const headers = new Headers(init.headers);
  headers.set("Host", "api.example.com");
  headers.set("CF-Connecting-IP", "203.0.113.9");
  const request = new Request(new URL(path, ORIGIN), { method: "POST", ...init, headers });
  world.fetching();
  let [status, text] = [0, ""];
  const before = await world.during(async () => {
    const response = await app.fetch(request, bindings, context);
    [status, text] = [response.status, await response.text()];
  });
  const after = world.all.length;
  await world.afterwards(waitOnExecutionContext(context));
  vi.restoreAllMocks();
  return { status, text, before, after: world.all.slice(after) };
}
type Counted = Awaited<ReturnType<typeof counted>>;

/**
 * Makes the same call on another deployment first, so that the ledger knows the payment or the idempotency key. Returns
 * the URL of the result.
 */
async function bought(init: RequestInit) {
  const { status, text } = await counted(TEXT, init);
  expect([status, text]).toEqual([200, expect.stringContaining("output")]);
  return (JSON.parse(text) as { output: { url: string } }).output.url;
}

const upload = async (path: string, headers: object, fields: Record<string, string | Blob>) =>
  counted(path, { headers: headers as HeadersInit, body: formOf({ file: new File([onePage], "a.pdf"), ...fields }) });
const key = () => ({ "Idempotency-Key": crypto.randomUUID() });
const byAddress = { file: PDF, text: "A" };

const createUpload = async (file = onePage) => {
  const { text } = await counted("/v1/uploads", post({}, { name: "a.pdf", size: file.length }));
  return JSON.parse(text) as { handle: string; upload: { url: string } };
};
const filled = async () => {
  const { handle, upload } = await createUpload();
  await counted(upload.url, { method: "PUT", headers: { "Content-Length": String(onePage.length) }, body: onePage });
  return handle;
};

/** The calls in the table of docs/design/round-trips.md. The keys are the first column of the table. */
const CALLS: Record<string, () => Promise<Counted>> = {
  "unpaid (402)": () => counted(TEXT),
  "paid, file in the request body": async () => upload(TEXT, await sign(), { text: "A" }),
  "paid, file given as a URL": async () => counted(TEXT, post(await sign(), byAddress)),
  "paid, file given as an upload handle": async () => {
    const file = await filled();
    return counted(TEXT, post(await sign(), { file, text: "A" }));
  },
  "paid, file and image given as URLs": async () => counted(IMAGE, post(await sign(), { file: PDF, image: PNG })),
  "paid, text in a script whose fonts are not cached": async () =>
    counted(TEXT, post(await sign(), { file: PDF, text: "Ꭰ 𐑐 𐒀" })),
  "paid, with an Idempotency-Key": async () => counted(TEXT, post({ ...(await sign()), ...key() }, byAddress)),
  "paid, through an MCP tool": async () => {
    const _meta = { "x402/payment": JSON.parse(atob((await sign())["X-PAYMENT"])) };
    const params = { name: "add_text_watermark", arguments: byAddress, _meta };
    const headers = { Accept: "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25" };
    return counted("/mcp", post(headers, { jsonrpc: "2.0", id: 1, method: "tools/call", params }));
  },
  "paid through a channel, first call": async () =>
    counted(TEXT, onChannel(await channelPayer.deposit(10 * PRICE, PRICE)), CHANNELS_URL),
  "paid through a channel, later call": async () =>
    counted(TEXT, onChannel(await channelPayer.voucher(2 * PRICE)), CHANNELS_URL),
  "repeated with the same payment and key": async () => {
    const init = post({ ...(await sign()), ...key() }, byAddress);
    await bought(init);
    return counted(TEXT, init);
  },
  "repeated with the same key and a new payment": async () => {
    const same = key();
    await bought(post({ ...(await sign()), ...same }, byAddress));
    return counted(TEXT, post({ ...(await sign()), ...same }, byAddress));
  },
  "repeated without a key, file in the request body": async () => {
    await upload(TEXT, await sign(), { text: "A" });
    return upload(TEXT, await sign(), { text: "A" });
  },
  "repeated without a key, file given as a URL": async () => {
    await bought(post(await sign(), byAddress));
    return counted(TEXT, post(await sign(), byAddress));
  },
  "download of a result": async () => counted(await bought(post(await sign(), byAddress)), { method: "GET" }),
  "download of a range of a result": async () =>
    counted(await bought(post(await sign(), byAddress)), { method: "GET", headers: { Range: "bytes=0-9" } }),
  "creation of an upload": () => counted("/v1/uploads", post({}, { name: "a.pdf" })),
  "transfer of an upload's file": async () => {
    const file = new Uint8Array(200_000); // A shorter transfer would not count against the upload's quota.
    file.set(onePage);
    const { upload } = await createUpload(file);
    return counted(upload.url, { method: "PUT", headers: { "Content-Length": String(file.length) }, body: file });
  },
};

/**
 * Destinations of round trips: all columns of the table in docs/design/round-trips.md except the first and the last.
 */
const COLUMNS = ["ledger", "facilitator", "budget", "R2", "assets", "source"];
/** Destinations of requests, slowest first. */
const BY_SLOWNESS = ["facilitator", "source", "R2", "assets", "ledger", "budget"];
/** Returns the slowest destination of a round of concurrent requests, which determines the duration. */
const slowestOf = (round: string[]) => BY_SLOWNESS.find((kind) => round.some((name) => name.startsWith(`${kind} `)));

describe("round trips of a call", () => {
  test.each(Object.keys(CALLS))(
    "a call makes exactly the round trips that docs/design/round-trips.md lists: %s",
    async (name) => {
      // An earlier call must have cached the Latin fonts.
      await counted(TEXT, post(await sign(), { file: PDF, text: "B" }));
      // Makes the Worker request the facilitator's networks.
      if (name.includes("channel")) await counted(TEXT, {}, CHANNELS_URL);
      const { status, text, before, after } = await CALLS[name]!();
      const sound = name.startsWith("unpaid") ? [402] : [200, 201, 206];
      expect([status, text.slice(0, 300)]).toEqual([expect.toBeOneOf(sound), expect.anything()]);
      const trips = before.map(slowestOf);
      const row = [...COLUMNS.map((kind) => trips.filter((to) => to === kind).length), trips.length];
      expect(design, JSON.stringify(before)).toContain(`| ${name} | ${row.join(" | ")} |`);
      expect(after.flat().filter((name) => name !== "budget end")).toEqual([]);
    },
  );

  test("the table in docs/design/round-trips.md lists only tested calls", () => {
    const names = [...design.matchAll(/^\| ([^|]+) \| \d/gm)].map(([, name]) => name);
    expect(names).toEqual(Object.keys(CALLS));
  });
});
