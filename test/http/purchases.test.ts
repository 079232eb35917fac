import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { createSiweMessage } from "viem/siwe";
import { describe, expect, test } from "vitest";
import { type Offer, signPayment } from "../../scripts/lib/pay.ts";
import { app } from "../../src/app.ts";
import { purchases } from "../../src/service/account/purchases.ts";
import { dataUri, ORIGIN, offerOf, send, TEXT } from "../support/client.ts";
import { deployment } from "../support/deployment.ts";
import { onePage } from "../support/pdf.ts";
import { decodeHeader } from "../support/x402.ts";

const PURCHASES = "/v1/purchases";
const json = { "Content-Type": "application/json" };
const newKey = () => ({ "Idempotency-Key": crypto.randomUUID() });
const newPayer = () => {
  const key = generatePrivateKey();
  return { key, account: privateKeyToAccount(key) };
};
type Payer = ReturnType<typeof newPayer>;

/** Fields of a sign-in message, except the signature. The official clients copy most of them from the challenge. */
interface Message {
  domain: string;
  address: string;
  statement?: string;
  uri: string;
  version: "1";
  chainId: string;
  type: string;
  nonce: string;
  issuedAt: string;
  expirationTime?: string;
  notBefore?: string;
  requestId?: string;
  resources?: string[];
}

const seconds = (from: number) => new Date(Date.now() + from * 1000).toISOString();
const messageOf = (account: PrivateKeyAccount, changes: Partial<Message> = {}): Message => ({
  domain: "localhost",
  address: account.address,
  uri: ORIGIN + PURCHASES,
  version: "1",
  chainId: "eip155:84532",
  type: "eip191",
  nonce: "0123456789abcdef",
  issuedAt: seconds(0),
  ...changes,
});

/** Signs a sign-in message in the text format that viem writes. */
async function signedBy(account: PrivateKeyAccount, message: Message): Promise<string> {
  const { type, chainId, issuedAt, expirationTime, notBefore, ...same } = message;
  const text = createSiweMessage({
    ...(same as object as Parameters<typeof createSiweMessage>[0]),
    chainId: Number(chainId.split(":")[1]),
    issuedAt: new Date(issuedAt),
    ...(expirationTime && { expirationTime: new Date(expirationTime) }),
    ...(notBefore && { notBefore: new Date(notBefore) }),
  });
  return headerOf(message, await account.signMessage({ message: text }));
}
const headerOf = (message: object, signature: string) => btoa(JSON.stringify({ ...message, signature }));

const list = async (header: string, query = "") =>
  send(`${PURCHASES}${query}`, { headers: { "SIGN-IN-WITH-X": header } });
const listOf = async ({ account }: Payer) => {
  const response = await list(await signedBy(account, messageOf(account)));
  expect(response.headers.get("Cache-Control")).toBe("no-store");
  return purchases().parse(await response.json());
};

const body = JSON.stringify({ file: dataUri("application/pdf", onePage), text: "A" });
async function buy({ key }: Payer, headers: Record<string, string> = {}, offer?: Offer) {
  const payment = await signPayment(offer ?? (await offerOf(TEXT)), key);
  const response = await send(TEXT, {
    method: "POST",
    headers: { ...json, "X-PAYMENT": payment, ...newKey(), ...headers },
    body,
  });
  const { output } = await response.json<{ output: { url: string; expires_at: string } }>();
  return { payment, output, requestId: response.headers.get("X-Request-Id")! };
}

describe("GET /v1/purchases", () => {
  test("the purchase list shows a payer's purchases with working links, newest first", async () => {
    const [payer, other] = [newPayer(), newPayer()];
    const bought = [await buy(payer), await buy(payer), await buy(payer)];
    await buy(other);
    await send(bought[1]!.output.url, { method: "DELETE" });
    expect(await listOf(payer)).toEqual({
      purchases: [bought[2]!, bought[0]!].map(({ output, requestId }) => ({
        url: output.url,
        expires_at: output.expires_at,
        operation: "watermark.text",
        bought_at: expect.any(String),
        request_id: requestId,
        network: "eip155:84532",
        transaction: expect.stringMatching(/^0x/),
      })),
      next: null,
    });
  });

  test("the purchase list is empty for a payer whose only call failed", async () => {
    const payer = newPayer();
    await send(TEXT, {
      method: "POST",
      headers: { ...json, "X-PAYMENT": await signPayment(await offerOf(TEXT), payer.key) },
      body: JSON.stringify({ file: dataUri("application/pdf", new Uint8Array(9)), text: "A" }),
    });
    expect(await listOf(payer)).toEqual({ purchases: [], next: null });
  });

  test("the purchase list contains a purchase once if the call was repeated with the same idempotency key", async () => {
    const payer = newPayer();
    for (let times = 0; times < 3; times++) await buy(payer, { "Idempotency-Key": "a" });
    expect((await listOf(payer)).purchases).toHaveLength(1);
  });

  test("the purchase list has 100 purchases per page", async () => {
    const { account } = newPayer();
    const book = env.LEDGER.getByName(`purchases:${account.address.toLowerCase()}`);
    for (let at = 0; at < 101; at++) await book.addPurchase({ payment: `${at}`, at, expiresAt: Date.now() + 60_000 });
    const header = await signedBy(account, messageOf(account));
    const { next } = purchases().parse(await (await list(header)).json());
    expect(next).toBe("000000000000001:1");
    expect(await (await list(header, `?before=${next}`)).json()).toEqual({ purchases: [], next: null });
    for (const wrong of ["", "x", "000000000000001:€"])
      expect((await list(header, `?before=${encodeURIComponent(wrong)}`)).status).toBe(400);
  });

  test("a purchase list request without a sign-in gets a 402 whose PAYMENT-REQUIRED header contains the message to sign", async () => {
    const response = await send(PURCHASES);
    expect(response.status).toBe(402);
    expect(await response.json()).toMatchObject({ code: "sign_in_required" });
    const terms = decodeHeader(response.headers.get("PAYMENT-REQUIRED")!) as {
      accepts: unknown[];
      extensions: Record<string, { info: object; supportedChains: { chainId: string; type: string }[] }>;
    };
    expect(terms).toMatchObject({ x402Version: 2, accepts: [], resource: { url: ORIGIN + PURCHASES } });
    const { info, supportedChains } = terms.extensions["sign-in-with-x"]!;
    expect(supportedChains).toEqual([{ chainId: "eip155:84532", type: "eip191" }]);
    const { account } = newPayer();
    const signed = await signedBy(account, { ...messageOf(account), ...supportedChains[0], ...info });
    expect((await list(signed)).status).toBe(200);
  });

  test.each<[string, Partial<Message>]>([
    [
      "all optional fields",
      { statement: "Show me.", requestId: "r", expirationTime: seconds(200), notBefore: seconds(-9) },
    ],
    ["resources", { resources: ["https://example.com/a", "https://example.com/b"] }],
    ["only the required fields", {}],
  ])("the service accepts a sign-in message with %s", async (_, changes) => {
    const { account } = newPayer();
    expect((await list(await signedBy(account, messageOf(account, changes)))).status).toBe(200);
  });

  test.each<[string, Partial<Message>, RegExp]>([
    ["another domain", { domain: "evil.example.com" }, /domain/],
    ["another origin", { uri: "https://evil.example.com/v1/purchases" }, /uri/],
    ["an old issue time", { issuedAt: seconds(-301) }, /older/],
    ["a future issue time", { issuedAt: seconds(90) }, /future/],
    ["a past expiration time", { expirationTime: seconds(-1) }, /expired/],
    ["a validity that starts in the future", { notBefore: seconds(60) }, /not valid yet/],
    ["a chain that is not configured", { chainId: "eip155:1" }, /chainId must be one of eip155:84532/],
  ])("the service rejects a sign-in message with %s", async (_, changes, why) => {
    const { account } = newPayer();
    const response = await list(await signedBy(account, messageOf(account, changes)));
    expect([response.status, await response.json()]).toMatchObject([
      403,
      { code: "sign_in_refused", detail: expect.stringMatching(why) },
    ]);
  });

  test("the service rejects a sign-in that another key has signed, or whose signature is for another message", async () => {
    const [{ account }, { account: victim }] = [newPayer(), newPayer()];
    const message = messageOf(victim);
    const signature = JSON.parse(atob(await signedBy(account, messageOf(account)))).signature;
    const own = JSON.parse(atob(await signedBy(victim, message))).signature;
    for (const forged of [
      headerOf(message, signature),
      headerOf(message, `0x${"11".repeat(65)}`),
      headerOf({ ...message, statement: "another" }, own),
    ])
      expect((await list(forged)).status).toBe(403);
  });

  test.each(["", "garbage", btoa("[]"), btoa("{}"), btoa("null"), "e".repeat(9000)])(
    "the service rejects the malformed sign-in header %j",
    async (header) => {
      const response = await list(header);
      expect([response.status, await response.json()]).toMatchObject([403, { code: "sign_in_refused" }]);
    },
  );

  test("the service rejects line breaks in a sign-in field, which could forge other fields", async () => {
    const { account } = newPayer();
    const header = headerOf(messageOf(account, { statement: "a\nURI: b" }), `0x${"11".repeat(65)}`);
    expect(await (await list(header)).json()).toMatchObject({ detail: expect.stringContaining("one line") });
  });
});

test("the service returns the result of a settled payment again, but only to the signed-in payer", async () => {
  const [payer, other] = [newPayer(), newPayer()];
  const { payment, output } = await buy(payer);
  const again = async (account: PrivateKeyAccount) => {
    const signIn = await signedBy(account, messageOf(account, { uri: ORIGIN + TEXT }));
    return send(TEXT, {
      method: "POST",
      headers: { ...json, "X-PAYMENT": payment, "SIGN-IN-WITH-X": signIn },
      body,
    });
  };
  expect(await (await again(payer.account)).json()).toMatchObject({ output });
  expect((await again(other.account)).status).toBe(409);
});

describe("a contract wallet", () => {
  const { account: owner } = newPayer();
  const wallet = { ...owner, address: `0x${"77".repeat(20)}` } as PrivateKeyAccount;
  /** Returns the URL of a fake node that answers every request with `result`. */
  const nodeThat = (result: string) =>
    `https://node.example.com/${encodeURIComponent(btoa(JSON.stringify({ broken: { result } })))}`;
  const ask = async (bindings: object, signature?: string) => {
    const context = createExecutionContext();
    const header = await signedBy(wallet, messageOf(wallet));
    const { signature: own, ...message } = JSON.parse(atob(header));
    const request = new Request(ORIGIN + PURCHASES, {
      headers: { "SIGN-IN-WITH-X": headerOf(message, signature ?? own) },
    });
    const response = await app.fetch(request, { ...env, ...bindings }, context);
    const answer = { status: response.status, body: await response.json() };
    await waitOnExecutionContext(context);
    return answer;
  };

  test("the service accepts a contract wallet's sign-in if its contract confirms the signature", async () => {
    const yes = `0x1626ba7e${"0".repeat(56)}`;
    expect(await ask({ RPC_URL: nodeThat(yes) })).toMatchObject({ status: 200 });
  });

  test.each([`0x${"f".repeat(64)}`, "0x", `0x${"0".repeat(64)}`])(
    "the service rejects a contract wallet's sign-in if the contract call returns %j",
    async (result) => {
      expect(await ask({ RPC_URL: nodeThat(result) })).toMatchObject({ status: 403 });
    },
  );

  test("the service rejects a contract wallet's sign-in with an explanation if RPC_URL is not set", async () => {
    expect(await ask({})).toMatchObject({ status: 403, body: { detail: expect.stringContaining("contract wallets") } });
  });
});

test("the service accepts a sign-in for another host only if ALLOWED_HOSTS contains that host", async () => {
  const { account } = newPayer();
  const host = "api.example.com";
  const message = messageOf(account, { domain: host, uri: `https://${host}${PURCHASES}` });
  const init = { method: "GET", headers: { "SIGN-IN-WITH-X": await signedBy(account, message) } };
  for (const [ALLOWED_HOSTS, status] of [
    [host, 200],
    ["pdf.example.com", 403],
  ] as const)
    expect((await deployment("good", { ALLOWED_HOSTS }).call(init, PURCHASES)).status).toBe(status);
});
