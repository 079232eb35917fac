import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts";
import { afterEach, describe, expect, test, vi } from "vitest";
import { signPaymentV2 } from "../../scripts/lib/pay.ts";
import { app } from "../../src/app.ts";
import { NETWORKS } from "../../src/payments/wire/networks.ts";
import { dataUri, formOf, IMAGE, ORIGIN, offerOf, TEXT } from "../support/client.ts";
import { authorizationOf, type Challenge, challengesIn, credentialFor, receiptIn, requestOf } from "../support/mpp.ts";
import { onePage } from "../support/pdf.ts";
import { decodeHeader } from "../support/x402.ts";

const RECEIPT_KEY = `0x${"5d".repeat(32)}`;
const OTHER_KEY = `0x${"5e".repeat(32)}`;
const PAY_TO = "0x00000000000000000000000000000000000000AA";
const PROBLEM = "https://paymentauth.org/problems/";
const BODY = { file: dataUri("application/pdf", onePage), text: "PAID" };

afterEach(() => void vi.useRealTimers());

interface Call {
  path?: string;
  headers?: Record<string, string>;
  body?: object | string | FormData;
  settings?: object;
  origin?: string;
}

/** Calls a deployment that has the given settings. Returns the status, the headers and the JSON body. */
async function call({ path = TEXT, headers = {}, body = BODY, settings = {}, origin = ORIGIN }: Call = {}) {
  const context = createExecutionContext();
  const isForm = body instanceof FormData;
  const init = {
    method: "POST",
    headers: { Host: new URL(origin).host, ...(!isForm && { "Content-Type": "application/json" }), ...headers },
    body: isForm || typeof body === "string" ? body : JSON.stringify(body),
  };
  const response = await app.fetch(new Request(origin + path, init), { ...env, ...settings }, context);
  const text = await response.text();
  await waitOnExecutionContext(context);
  const json = JSON.parse(text) as { output?: { url: string }; type?: string; detail?: string; code?: string };
  return { status: response.status, headers: response.headers, json };
}

async function challenged(options: Call = {}): Promise<Challenge> {
  const { headers } = await call(options);
  return challengesIn(headers.get("WWW-Authenticate"))[0]!;
}

/**
 * Requests a challenge, and pays for it with a new payer by default. Returns the value of the header `Authorization`.
 */
async function authorizing(options: Call = {}, key = generatePrivateKey()): Promise<string> {
  return authorizationOf(await credentialFor(await challenged(options), {}, key));
}

async function buy(options: Call = {}, key = generatePrivateKey()) {
  const Authorization = await authorizing(options, key);
  return call({ ...options, headers: { ...options.headers, Authorization } });
}

/** Creates a deployment with its own facilitator, which counts the payments that it verifies and settles. */
function deployment(behavior = "settles-84532-base_sepolia", settings: object = {}) {
  const FACILITATOR_URL = `https://facilitator.example.com/${behavior}-${crypto.randomUUID()}`;
  const counts = async () => {
    const counted = await fetch(`${FACILITATOR_URL}/count`, { method: "POST", body: "{}" });
    const { verify, settle = 0 } = await counted.json<{ verify: number; settle?: number }>();
    return { verify, settle };
  };
  return { settings: { FACILITATOR_URL, PAY_TO, RECEIPT_KEY, ...settings }, counts };
}

describe("the challenge of an unpaid call", () => {
  test.each([TEXT, IMAGE])(
    "the MPP challenge for an unpaid call of %s states the same terms as x402 in the same 402",
    async (path) => {
      const { status, headers } = await call({ path });
      expect(status).toBe(402);
      const [challenge, other] = challengesIn(headers.get("WWW-Authenticate"));
      expect(other).toBeUndefined();
      expect(challenge).toMatchObject({ realm: "localhost", method: "evm", intent: "charge" });
      const { accepts } = decodeHeader(headers.get("PAYMENT-REQUIRED")!) as { accepts: Record<string, unknown>[] };
      expect(requestOf(challenge!)).toEqual({
        amount: accepts[0]!.amount,
        currency: accepts[0]!.asset,
        methodDetails: { chainId: 84532, credentialTypes: ["authorization"], decimals: 6 },
        recipient: accepts[0]!.payTo,
      });
      const lifetime = Date.parse(challenge!.expires) - Date.now();
      expect(lifetime).toBeGreaterThan(300_000);
      expect(lifetime).toBeLessThanOrEqual(360_000);
    },
  );

  test("an MPP challenge has a different id for each call", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const ids = await Promise.all([1, 2, 3].map(async () => (await challenged()).id));
    expect(new Set(ids).size).toBe(3);
  });

  test("a 402 contains MPP challenges for the first three EVM networks", async () => {
    const settings = {
      NETWORKS: "solana,base,polygon,base-sepolia,arbitrum",
      PAY_TO_SOLANA: "EdqM52SpXCn5c1uozuvuH5o9Tcr41kYeCWz4Ymu6ngbt",
    };
    const { headers } = await call({ settings });
    const chains = challengesIn(headers.get("WWW-Authenticate")).map((one) => requestOf(one).methodDetails.chainId);
    expect(chains).toEqual([8453, 137, 84532]);
  });

  test("a 402 contains an MPP challenge for only one network if more challenges would exceed the header limit", async () => {
    const names = Object.keys(NETWORKS).filter((name) => !name.startsWith("solana"));
    const settings = {
      ...{ NETWORKS: names.join(), RECEIPT_KEY, PAY_TO },
      FACILITATOR_URL: "https://facilitator.example.com/good",
    };
    const origin = "https://a-rather-long-name-of-a-host.overprint.example.com";
    const { headers } = await call({ settings, origin });
    expect(challengesIn(headers.get("WWW-Authenticate")).map(requestOf)).toMatchObject([
      { currency: NETWORKS.base.asset },
    ]);
  });

  test("a 402 contains no MPP challenge if MPP is off, RECEIPT_KEY is not set, or the host is not allowed", async () => {
    const [good, keyless] = [deployment(), deployment(undefined, { RECEIPT_KEY: "" })];
    const origin = "https://pdf.example.com";
    const sent = async (settings: object) => (await call({ settings, origin })).headers.has("WWW-Authenticate");
    expect(await sent(good.settings)).toBe(true);
    expect(await sent(keyless.settings)).toBe(false);
    expect(await sent({ ...good.settings, MPP: "false" })).toBe(false);
    expect(await sent({ ...good.settings, ALLOWED_HOSTS: "other.example.com" })).toBe(false);
    expect(await sent({ ...good.settings, ALLOWED_HOSTS: "pdf.example.com" })).toBe(true);
  });

  test("a web page of another origin can read an MPP challenge and send the MPP credential", async () => {
    const { headers } = await call({ headers: { Origin: "https://shop.example.com" } });
    const exposed = headers.get("Access-Control-Expose-Headers")!.split(",");
    expect(exposed).toEqual(expect.arrayContaining(["WWW-Authenticate", "Payment-Receipt"]));
    const asking = {
      Origin: "https://a.example.com",
      "Access-Control-Request-Headers": "authorization,content-digest",
    };
    const init = { method: "OPTIONS", headers: { ...asking, "Access-Control-Request-Method": "POST" } };
    const preflight = await app.fetch(new Request(ORIGIN + TEXT, init), env, createExecutionContext());
    expect(preflight.headers.get("Access-Control-Allow-Headers")).toBe("authorization,content-digest");
  });
});

describe("an MPP credential", () => {
  test("an MPP credential buys a PDF, and the answer contains an MPP receipt and an x402 receipt", async () => {
    const key = generatePrivateKey();
    const challenge = await challenged();
    const Authorization = authorizationOf(await credentialFor(challenge, {}, key));
    const { status, headers, json } = await call({ headers: { Authorization } });
    expect([status, json.output?.url]).toEqual([200, expect.stringContaining("/v1/files/")]);
    const x402 = decodeHeader(headers.get("PAYMENT-RESPONSE")!) as { transaction: string };
    expect(x402).toMatchObject({ success: true, payer: privateKeyToAddress(key), network: "eip155:84532" });
    expect(receiptIn(headers.get("Payment-Receipt"))).toEqual({
      status: "success",
      method: "evm",
      challengeId: challenge.id,
      reference: x402.transaction,
      chainId: 84532,
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    });
    expect(headers.get("Cache-Control")).toBe("private, no-store");
  });

  test("the facilitator settles an MPP credential as an x402 version 2 payment", async () => {
    const { settings, counts } = deployment();
    const { status } = await buy({ settings });
    expect([status, await counts()]).toEqual([200, { verify: 1, settle: 1 }]);
  });

  test("an MPP credential pays for a form request, even if the authentication scheme is written in lower case", async () => {
    const body = formOf({ file: new File([onePage], "a.pdf"), text: "FORM" });
    const value = await authorizing();
    expect(await call({ body, headers: { Authorization: value.replace("Payment", "payment") } })).toHaveProperty(
      "status",
      200,
    );
  });

  test("an MPP credential permits a large upload without a settlement", async () => {
    const { settings, counts } = deployment();
    const path = "/v1/uploads";
    const { status } = await buy({ path, body: { name: "a.pdf", size: 20_000_000 }, settings });
    expect([status, await counts()]).toEqual([201, { verify: 1, settle: 0 }]);
  });

  test("an MPP credential never appears in the log", async () => {
    const GARBAGE = "a-secret-that-is-no-credential";
    const log = vi.spyOn(console, "log").mockImplementation(() => {});
    const Authorization = await authorizing();
    const answers = [
      await call({ headers: { Authorization } }),
      await call({ headers: { Authorization: `Payment ${GARBAGE}` } }),
    ];
    const logged = JSON.stringify(log.mock.calls);
    log.mockRestore();
    expect(answers.map(({ status }) => status)).toEqual([200, 402]);
    const { payload } = JSON.parse(atob(Authorization.slice(8).replaceAll("-", "+").replaceAll("_", "/")));
    for (const secret of [Authorization.slice(8), payload.signature, GARBAGE]) expect(logged).not.toContain(secret);
  });

  test("the service ignores an Authorization header with a scheme other than Payment", async () => {
    for (const Authorization of ["Bearer abc", "Basic cGF5bWVudA==", "Payments e30"]) {
      const { status, headers } = await call({ headers: { Authorization } });
      expect([status, headers.get("Content-Type")]).toEqual([402, "application/json"]);
    }
    const payment = await signPaymentV2(await offerOf(TEXT), generatePrivateKey());
    const { status } = await call({ headers: { Authorization: "Bearer abc", "PAYMENT-SIGNATURE": payment } });
    expect(status).toBe(200);
  });
});

describe("a refused credential", () => {
  const expectRefusal = ({ status, headers, json }: Awaited<ReturnType<typeof call>>, type: string, detail: RegExp) => {
    expect([status, headers.get("Content-Type"), json.type]).toEqual([402, "application/problem+json", PROBLEM + type]);
    expect(json).toEqual({
      type: PROBLEM + type,
      title: expect.stringMatching(/^The /),
      status: 402,
      detail: expect.stringMatching(detail),
      request_id: headers.get("X-Request-Id"),
    });
    expect(challengesIn(headers.get("WWW-Authenticate"))).toHaveLength(1);
    expect(headers.has("PAYMENT-REQUIRED")).toBe(true);
    expect(headers.has("Payment-Receipt")).toBe(false);
  };
  type Credential = Awaited<ReturnType<typeof credentialFor>>;
  const inChallenge = (change: object) => (one: Credential) => ({ ...one, challenge: { ...one.challenge, ...change } });
  const inPayload = (change: object) => (one: Credential) => ({ ...one, payload: { ...one.payload, ...change } });

  test.each([
    ["an empty value", "Payment", /base64url/],
    ["no base64url", "Payment %%%", /base64url/],
    ["two credentials", "Payment e30, Payment e30", /base64url/],
    ["text that is not JSON", authorizationOf("this is garbage"), /base64url/],
    ["JSON null", "Payment bnVsbA", /^The credential must be of type object/],
    ["an empty object", "Payment e30", /^challenge is missing/],
    ["more than 8 KB", `Payment ${"A".repeat(9000)}`, /base64url/],
  ])(
    "a call gets the error malformed-credential if its Authorization header contains %s",
    async (_, Authorization, detail) => {
      const { settings, counts } = deployment();
      expectRefusal(await call({ headers: { Authorization }, settings }), "malformed-credential", detail);
      expect(await counts()).toEqual({ verify: 0, settle: 0 });
    },
  );

  test.each<[string, string, (one: Credential) => unknown, RegExp]>([
    ["a changed id", "invalid-challenge", inChallenge({ id: "A".repeat(59) }), /not issued/],
    ["an id without its HMAC", "invalid-challenge", inChallenge({ id: "AAAA" }), /not issued/],
    ["a later expiry", "invalid-challenge", inChallenge({ expires: "2099-01-01T00:00:00.000Z" }), /not issued/],
    ["another realm", "invalid-challenge", inChallenge({ realm: "shop.example.com" }), /not issued/],
    ["another method", "invalid-challenge", inChallenge({ method: "tempo" }), /not issued/],
    ["an added digest", "invalid-challenge", inChallenge({ digest: `sha-256=:${"A".repeat(43)}=:` }), /not issued/],
    ["added correlation data", "invalid-challenge", inChallenge({ opaque: "e30" }), /not issued/],
    ["no id", "malformed-credential", inChallenge({ id: undefined }), /^challenge.id/],
    ["an expiry that is no date", "malformed-credential", inChallenge({ expires: "soon" }), /^challenge.expires/],
    ["no payload", "malformed-credential", (one) => ({ ...one, payload: undefined }), /^payload/],
    ["a transaction hash", "invalid-payload", inPayload({ type: "hash" }), /authorization/],
    ["no signature", "invalid-payload", inPayload({ signature: undefined }), /payload.signature/],
    ["a short nonce", "invalid-payload", inPayload({ nonce: "0x01" }), /authorization.nonce/],
    ["a value that is a number", "invalid-payload", inPayload({ value: 50000 }), /authorization.value/],
    ["another payer", "verification-failed", inPayload({ from: PAY_TO }), /source/],
    ["another source", "verification-failed", (one) => ({ ...one, source: `did:pkh:eip155:1:${PAY_TO}` }), /source/],
    ["a wrong signature", "verification-failed", inPayload({ signature: `0x${"1b".repeat(65)}` }), /signature/],
  ])("an MPP credential with %s gets the error %s", async (_, type, change, detail) => {
    const credential = await credentialFor(await challenged());
    expectRefusal(await call({ headers: { Authorization: authorizationOf(change(credential)) } }), type, detail);
  });

  test.each([
    ["a lower amount", { value: "49999" }, /authorize exactly 50000/],
    ["a higher amount", { value: "50001" }, /authorize exactly 50000/],
    ["another recipient", { to: `0x${"ab".repeat(20)}` }, /recipient_mismatch/],
    ["another nonce", { nonce: `0x${"00".repeat(32)}` as const }, /keccak256/],
    ["a validity beyond the challenge's", { validBefore: String(Math.floor(Date.now() / 1000) + 4000) }, /expires/],
  ])(
    "an MPP credential with %s and a valid signature gets the error verification-failed",
    async (_, change, detail) => {
      const Authorization = authorizationOf(await credentialFor(await challenged(), change));
      expectRefusal(await call({ headers: { Authorization } }), "verification-failed", detail);
    },
  );

  test("an MPP credential with an expired challenge gets the error payment-expired", async () => {
    const Authorization = await authorizing();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 361_000 });
    expectRefusal(await call({ headers: { Authorization } }), "payment-expired", /valid_before/);
  });

  test("an MPP credential gets the error invalid-challenge if its challenge is of another deployment, route, price or network", async () => {
    const [mine, foreign] = [deployment(), deployment(undefined, { RECEIPT_KEY: OTHER_KEY })];
    const onBase = deployment("settles-8453-base", { NETWORKS: "base" });
    const { settings } = mine;
    for (const [other, detail] of [
      [{ settings: foreign.settings }, /not issued/],
      [{ settings, path: IMAGE }, /not issued/],
      [{ settings: { ...settings, PRICE: "0.04" } }, /terms have changed/],
      [{ settings: onBase.settings }, /terms have changed/],
    ] as const) {
      const Authorization = await authorizing(other);
      expectRefusal(await call({ settings, headers: { Authorization } }), "invalid-challenge", detail);
    }
    expect(await mine.counts()).toEqual({ verify: 0, settle: 0 });
  });

  test("an MPP credential that the facilitator refuses gets verification-failed with the facilitator's reason", async () => {
    for (const behavior of ["refuses-verify", "refuses-settle-400"]) {
      const FACILITATOR_URL = `https://facilitator.example.com/${behavior}`;
      const { settings } = deployment(undefined, { FACILITATOR_URL });
      expectRefusal(await buy({ settings }), "verification-failed", /^insufficient_funds/);
    }
  });

  test.each(["X-PAYMENT", "PAYMENT-SIGNATURE"])(
    "a request with both an MPP credential and a payment in %s gets a 400 and is not charged",
    async (name) => {
      const { settings, counts } = deployment();
      const Authorization = await authorizing({ settings });
      const payment = await signPaymentV2({ ...(await offerOf(TEXT)), payTo: PAY_TO });
      const { status, json } = await call({ settings, headers: { Authorization, [name]: payment } });
      expect([status, json.type, json.code]).toEqual([400, `${PROBLEM}bad-request`, "invalid_request"]);
      expect(await counts()).toEqual({ verify: 0, settle: 0 });
    },
  );
});

describe("a credential sent again", () => {
  test("an MPP credential sent again with its idempotency key gets the same result, even with an expired challenge", async () => {
    const headers = { "Idempotency-Key": crypto.randomUUID() };
    const { settings, counts } = deployment();
    const Authorization = await authorizing({ settings });
    const first = await call({ settings, headers: { ...headers, Authorization } });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 400_000 });
    const again = await call({ settings, headers: { ...headers, Authorization } });
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(again.json.output?.url).toBe(first.json.output?.url);
    expect(again.headers.get("Payment-Receipt")).toBe(first.headers.get("Payment-Receipt"));
    expect(await counts()).toMatchObject({ settle: 1 });
  });

  test("an MPP credential sent again without an idempotency key or with another body gets no result", async () => {
    const { settings, counts } = deployment();
    const Authorization = await authorizing({ settings });
    const send = (body: object) =>
      call({ settings, body, headers: { Authorization, "Content-Length": String(JSON.stringify(body).length) } });
    expect((await send(BODY)).status).toBe(200);
    const [same, other] = [await send(BODY), await send({ ...BODY, text: "OTHER" })];
    expect([same.status, same.json.code]).toEqual([409, "payment_already_used"]);
    expect([other.status, other.json.type]).toEqual([402, `${PROBLEM}invalid-challenge`]);
    expect(other.json.detail).toMatch(/^payment_already_used/);
    expect(await counts()).toMatchObject({ settle: 1 });
  });

  test("an MPP credential is charged once if two calls send it concurrently", async () => {
    const { settings, counts } = deployment();
    const Authorization = await authorizing({ settings });
    const answers = await Promise.all([1, 2].map(() => call({ settings, headers: { Authorization } })));
    const urls = answers.flatMap(({ json }) => json.output?.url ?? []);
    expect(new Set(urls).size).toBe(1);
    for (const { status } of answers) expect([200, 409]).toContain(status);
    expect(await counts()).toMatchObject({ settle: 1 });
  });

  test("a call repeated with a new MPP credential after a lost answer gets the same result and is settled once", async () => {
    const { settings, counts } = deployment();
    const key = generatePrivateKey();
    const [lost, retried] = [await buy({ settings }, key), await buy({ settings }, key)];
    expect([lost.status, retried.status]).toEqual([200, 200]);
    expect(retried.json.output?.url).toBe(lost.json.output?.url);
    expect(retried.headers.get("Overprint-Notice")).toBe("payment-not-settled");
    const [first, second] = [lost, retried].map(({ headers }) => receiptIn(headers.get("Payment-Receipt")));
    expect(second).toEqual({ ...first, challengeId: second!.challengeId });
    expect(await counts()).toMatchObject({ settle: 1 });
  });

  test("two concurrent calls for the same content with different MPP credentials are charged once", async () => {
    const { settings, counts } = deployment();
    const key = generatePrivateKey();
    const answers = await Promise.all([buy({ settings }, key), buy({ settings }, key)]);
    expect(new Set(answers.map(({ json }) => json.output?.url)).size).toBe(1);
    expect(await counts()).toMatchObject({ settle: 1 });
  });

  test("the same content is charged once if it is bought with an MPP credential and then with an x402 payment", async () => {
    const { settings, counts } = deployment();
    const key = generatePrivateKey();
    const bought = await buy({ settings }, key);
    const payment = await signPaymentV2({ ...(await offerOf(TEXT)), payTo: PAY_TO }, key);
    const again = await call({ settings, headers: { "PAYMENT-SIGNATURE": payment } });
    expect([again.status, again.json.output?.url]).toEqual([200, bought.json.output?.url]);
    expect(await counts()).toMatchObject({ settle: 1 });
  });
});

describe("the digest of a body", () => {
  const digestOf = async (text: string) =>
    `sha-256=:${new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))).toBase64()}:`;
  const text = JSON.stringify(BODY);

  test("an MPP challenge contains the body's digest if the unpaid call announces the digest", async () => {
    const digest = await digestOf(text);
    for (const announced of [digest, `sha-512=:AAAA:, ${digest}`])
      expect(await challenged({ headers: { "Content-Digest": announced } })).toMatchObject({ digest });
    for (const unusable of ["sha-256=abc", "sha-512=:AAAA:", `x-${digest}`, `${digest.slice(0, -2)}":`])
      expect(await challenged({ headers: { "Content-Digest": unusable } })).not.toHaveProperty("digest");
  });

  test.each([
    ["JSON", text, "application/json"],
    [
      "a form",
      `--b\r\nContent-Disposition: form-data; name="text"\r\n\r\nA\r\n--b\r\nContent-Disposition: form-data; name="file"\r\n\r\n${BODY.file}\r\n--b--\r\nepilogue`,
      "multipart/form-data; boundary=b",
    ],
  ])(
    "an MPP credential with a digest in its challenge pays only for the body with this digest: %s",
    async (_, body, type) => {
      const { settings, counts } = deployment();
      const options = { settings, headers: { "Content-Type": type, "Content-Digest": await digestOf(body) } };
      const Authorization = await authorizing({ ...options, body });
      const headers = { ...options.headers, Authorization };
      const other = await call({ settings, headers, body: body.replace("A", "B") });
      expect([other.status, other.json.type]).toEqual([402, `${PROBLEM}invalid-challenge`]);
      expect(await counts()).toMatchObject({ settle: 0 });
      expect(await call({ settings, headers, body })).toHaveProperty("status", 200);
      expect(await counts()).toMatchObject({ settle: 1 });
    },
  );
});
