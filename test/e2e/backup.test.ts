/**
 * Tests backup, restore and takedown with local Workers. A restored deployment delivers what its callers have paid for.
 */
import { cp, mkdtemp, rm, stat } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { createSiweMessage } from "viem/siwe";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { backup } from "../../scripts/backup/backup.ts";
import { restore } from "../../scripts/backup/restore.ts";
import { type Offer, signPayment } from "../../scripts/lib/pay.ts";
import { samplePdf } from "../../scripts/lib/samplePdf.ts";
import { takedown } from "../../scripts/takedown/takedown.ts";
import { result } from "../../src/service/request/schemas.ts";
import { storageFolder } from "../support/storageFolder.ts";
import { startWorker } from "../support/worker.ts";

const OPERATOR_TOKEN = "0123456789abcdef0123456789abcdef";
const PAY_TO = "0x00000000000000000000000000000000c0ffee05";
const TEXT = "/v1/watermark/text";
const SETTINGS = { PAY_TO, OPERATOR_TOKEN, FACILITATOR_TIMEOUT_SECONDS: "1" };

let folder: string;
let facilitator: Server;
let FACILITATOR_URL: string;
/** Whether the facilitator settles. If not, the outcome of a settlement stays unknown. */
let settles = true;
beforeAll(async () => {
  folder = await mkdtemp(join(storageFolder(), "overprint-backup-"));
  facilitator = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.url === "/supported")
      return response.end(JSON.stringify({ kinds: [{ x402Version: 1, scheme: "exact", network: "base-sepolia" }] }));
    const { from, nonce } = JSON.parse(Buffer.concat(chunks).toString()).paymentPayload.payload.authorization;
    if (request.url === "/verify") return response.end(JSON.stringify({ isValid: true, payer: from }));
    if (!settles) return response.writeHead(500).end();
    response.end(JSON.stringify({ success: true, transaction: nonce, network: "base-sepolia", payer: from }));
  });
  await new Promise<void>((resolve) => facilitator.listen(0, "127.0.0.1", resolve));
  FACILITATOR_URL = `http://127.0.0.1:${(facilitator.address() as { port: number }).port}`;
});
afterAll(async () => {
  facilitator?.close();
  facilitator?.closeAllConnections();
  if (folder) await rm(folder, { recursive: true, force: true });
});

/**
 * Creates a payer and a signed payment. Returns three functions: one makes the call with this payment, one repeats the
 * call at a deployment with a new payment of the same payer, and one lists the payer's purchases at a deployment.
 */
async function order(url: string, text: string, idempotencyKey?: string) {
  const { accepts } = (await (await fetch(url + TEXT, { method: "POST" })).json()) as { accepts: Offer[] };
  const key = generatePrivateKey();
  const payment = await signPayment(accepts[0]!, key);
  const pdf = new Uint8Array(await samplePdf());
  const send = (at: string, sent: string) => {
    const body = new FormData();
    body.set("file", new File([pdf], "sample.pdf"));
    body.set("text", text);
    const headers = { "X-PAYMENT": sent, ...(idempotencyKey && { "Idempotency-Key": idempotencyKey }) };
    return fetch(at + TEXT, { method: "POST", headers, body });
  };
  const call = () => send(url, payment);
  const repeat = async (at: string) => send(at, await signPayment(accepts[0]!, key));
  return { call, repeat, purchases: (at: string) => purchasesOf(privateKeyToAccount(key), at) };
}

/** Signs a payer in at a deployment, and returns the links to the payer's purchases. */
async function purchasesOf(payer: PrivateKeyAccount, at: string): Promise<URL[]> {
  const uri = `${at}/v1/purchases`;
  const signed = {
    domain: new URL(at).host,
    address: payer.address,
    uri,
    version: "1",
    nonce: "0123456789abcdef",
  } as const;
  const now = new Date();
  const signature = await payer.signMessage({
    message: createSiweMessage({ ...signed, chainId: 84532, issuedAt: now }),
  });
  const proof = { ...signed, chainId: "eip155:84532", type: "eip191", issuedAt: now.toISOString(), signature };
  const answer = await fetch(uri, { headers: { "SIGN-IN-WITH-X": btoa(JSON.stringify(proof)) } });
  return ((await answer.json()) as { purchases: { url: string }[] }).purchases.map(({ url }) => new URL(url));
}

/** Runs a command of the operator. Returns its exit code and output. */
async function run(command: typeof backup, url: string, ...args: string[]) {
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  const surroundings = { settingsFile: join(folder, "none"), env: { OPERATOR_TOKEN }, print, complain: print };
  return [await command(["--url", url, ...args], surroundings), lines.join("\n")] as const;
}

test("a restored deployment settles the open payments, delivers their results, and lists the earlier sales", async () => {
  const [lost, kept, file] = [join(folder, "lost"), join(folder, "kept"), join(folder, "backup.jsonl")];
  const settings = { ...SETTINGS, FACILITATOR_URL };
  const first = await startWorker(settings, { keptState: lost });
  const sold = await order(first.url, "SOLD", "a key of the caller");
  const link = new URL(result.parse(await (await sold.call()).json()).output.url);
  settles = false;
  const open = await order(first.url, "OPEN");
  expect((await open.call()).status).toBe(503);
  await vi.waitUntil(async () => (await salesOf(first.url)).length === 1);
  const [code, printed] = await run(backup, first.url, file);
  expect([code, printed]).toEqual([0, `${file}: 1 sales, 1 open payments, 2 payers, 2 payments, 2 keys, 0 channels`]);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await run(backup, first.url, file))[0], "an existing file").toBe(2);
  await first.stop();

  await cp(join(lost, "r2"), join(kept, "r2"), { recursive: true }); // only the bucket survives
  const selling = await startWorker(settings, { keptState: kept });
  expect(await run(restore, selling.url, file)).toEqual([2, expect.stringContaining("SELLING=false")]);
  await selling.stop();

  settles = true;
  const second = await startWorker({ ...settings, SELLING: "false" }, { keptState: kept });
  // The deployment continues a restored payment immediately, and may write up to two records before the restore does.
  expect(await run(restore, second.url, file)).toEqual([
    0,
    expect.stringMatching(/^[6-8] records restored, [0-2] were/),
  ]);
  expect(await run(restore, second.url, join(folder, "none"))).toEqual([2, expect.stringContaining("ENOENT")]);

  const [owed] = await vi.waitUntil(
    async () => {
      const links = await open.purchases(second.url);
      return links.length > 0 && links;
    },
    { timeout: 60_000, interval: 500 },
  );
  const path = ({ pathname, search }: URL) => second.url + pathname + search;
  expect((await fetch(path(owed!))).status).toBe(200);
  // This deployment sells nothing, so a repeated call succeeds only if the deployment knows the call's idempotency key.
  const again = result.parse(await (await sold.repeat(second.url)).json());
  expect(new URL(again.output.url).pathname).toBe(link.pathname);
  expect((await sold.purchases(second.url)).map(({ pathname }) => pathname)).toEqual([link.pathname]);
  await vi.waitUntil(async () => (await salesOf(second.url)).length === 2, { timeout: 20_000 });
  const [, after] = await run(backup, second.url, join(folder, "after.jsonl"));
  expect(after).toContain("2 sales, 0 open payments");
  expect((await run(restore, second.url, file))[1]).toContain("were present");

  const [taken, words] = await run(takedown, second.url, link.href);
  expect([taken, words.split("\n")[0]]).toEqual([0, expect.stringMatching(/^removed: the result \d{6}-/)]);
  expect((await fetch(path(link))).status).toBe(410);
  expect(await run(takedown, second.url, link.href)).toEqual([1, expect.stringContaining("Nothing was removed")]);
  expect((await run(takedown, second.url))[0]).toBe(2);
  await second.stop();

  const third = await startWorker(settings, { keptState: kept });
  const unchanged = result.parse(await (await open.repeat(third.url)).json());
  expect(new URL(unchanged.output.url).pathname, "a repeated call without a key").toBe(owed!.pathname);
  expect(await salesOf(third.url)).toHaveLength(2);
  await third.stop();
}, 200_000);

async function salesOf(url: string): Promise<unknown[]> {
  const day = new Date().toISOString().slice(0, 10);
  const headers = { Authorization: `Bearer ${OPERATOR_TOKEN}` };
  const answer = await fetch(`${url}/v1/operator/sales?day=${day}`, { headers });
  return ((await answer.json()) as { sales: unknown[] }).sales;
}
