import { afterEach, describe, expect, test, vi } from "vitest";
import { cdpToken } from "../../../src/payments/facilitators/cdpToken.ts";
import { askSupported, type RemoteFacilitator } from "../../../src/payments/facilitators/facilitatorHttp.ts";
import { facilitatorClients, facilitatorNamed } from "../../../src/payments/facilitators/facilitators.ts";
import { recentFailures } from "../../../src/payments/facilitators/failures.ts";
import { localFacilitator } from "../../../src/payments/facilitators/localFacilitator.ts";
import { remoteFacilitator } from "../../../src/payments/facilitators/remoteFacilitator.ts";
import { readSupported } from "../../../src/payments/facilitators/supported.ts";
import { PaymentError } from "../../../src/payments/wire/errors.ts";
import { NETWORKS } from "../../../src/payments/wire/networks.ts";
import { paymentFrom, SILENT } from "../payments.ts";

/** Creates the client of a facilitator that gives the same answer to every call. */
function facilitatorWith(answer: object, status: number) {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  const said = btoa(JSON.stringify({ status, answer }).replace(/[^ -~]/g, escaped));
  const url = `https://facilitator.example.com/says-${encodeURIComponent(said)}`;
  return remoteFacilitator({ url, timeoutMs: 2000 }, SILENT);
}

/** Returns the outcome of a settlement through a facilitator that gives the answer `answer`. */
async function settled(answer: object, status = 200) {
  return facilitatorWith(answer, status).settle(await paymentFrom());
}

describe("remoteFacilitator on a lost connection", () => {
  const client = remoteFacilitator({ url: "https://facilitator.example.com", timeoutMs: 2000 }, SILENT);
  const lost = new Error("Network connection lost."); // workerd's wording of the error
  const asked = (...answers: (Response | Error)[]) => {
    const fetching = vi.spyOn(globalThis, "fetch");
    for (const answer of answers)
      if (answer instanceof Response) fetching.mockResolvedValueOnce(answer);
      else fetching.mockRejectedValueOnce(answer);
    return fetching;
  };
  afterEach(() => vi.restoreAllMocks());

  test("the facilitator client retries a verification after a lost connection", async () => {
    asked(lost, Response.json({ isValid: true }));
    expect(await client.verify(await paymentFrom())).toEqual({ outcome: "valid" });
  });

  test("the facilitator client retries a verification only once if the connection is lost again", async () => {
    const fetching = asked(lost, lost, Response.json({ isValid: true }));
    expect(await client.verify(await paymentFrom())).toEqual({ outcome: "unknown" });
    expect(fetching).toHaveBeenCalledTimes(2);
  });

  test("the facilitator client does not retry a settlement after a lost connection, since money may have moved", async () => {
    const fetching = asked(lost, Response.json({ success: true, transaction: `0x${"ab".repeat(32)}` }));
    expect(await client.settle(await paymentFrom())).toEqual({ outcome: "unknown" });
    expect(fetching).toHaveBeenCalledTimes(1);
  });

  test("the facilitator client does not retry a verification after a timeout or a malformed answer", async () => {
    for (const answer of [new DOMException("", "TimeoutError"), Response.json({}), new Response("", { status: 500 })]) {
      const fetching = asked(answer, Response.json({ isValid: true }));
      expect(await client.verify(await paymentFrom())).toEqual({ outcome: "unknown" });
      expect(fetching).toHaveBeenCalledTimes(1);
      fetching.mockRestore();
    }
  });
});

describe("remoteFacilitator on an answer of 4xx without a verdict", () => {
  const verified = async (answer: object, status: number) =>
    facilitatorWith(answer, status).verify(await paymentFrom());

  test.each([400, 402, 404, 409, 413, 422])(
    "the facilitator client rejects a payment if the facilitator answers the verification with status %i and no verdict",
    async (status) => {
      expect(await verified({ error: "no verdict" }, status)).toEqual({
        outcome: "rejected",
        reason: `facilitator_refused: the facilitator answered ${status}: no verdict`,
      });
    },
  );

  test.each([401, 403, 408, 429, 500, 502])(
    "the facilitator client leaves a payment undecided if the facilitator answers the verification with status %i and no verdict",
    async (status) => {
      expect(await verified({ error: "no verdict" }, status)).toEqual({ outcome: "unknown" });
    },
  );

  test.each<[string, object, string]>([
    [
      "an error of Coinbase's API",
      { errorType: "invalid_request", errorMessage: "signature: must match the pattern", correlationId: "1" },
      "signature: must match the pattern",
    ],
    [
      "a problem document",
      { type: "about:blank", title: "Bad Request", detail: "payload is wrong" },
      "payload is wrong",
    ],
    ["JSON without an explanation", { code: 7 }, '{"code":7}'],
    ["a list", [{ message: "wrong" }], '[{"message":"wrong"}]'],
    ["line breaks, control characters and bidi controls", { error: " a\n\u0000\u202eb\u200b" }, "a b"],
    ["an empty explanation", { error: "\n" }, "the facilitator gave no reason"],
  ])("the reason for a refusal includes the facilitator's explanation: %s", async (_, answer, text) => {
    const reason = `facilitator_refused: the facilitator answered 400: ${text}`;
    expect(await verified(answer, 400)).toEqual({ outcome: "rejected", reason });
    expect(await settled(answer, 400)).toEqual({ outcome: "refused", reason });
  });

  test("the reason for a refusal includes at most 200 characters of the facilitator's explanation", async () => {
    const { reason } = (await verified({ error: "x".repeat(5000) }, 400)) as { reason: string };
    expect(reason).toMatch(/^facilitator_refused: the facilitator answered 400: x{200}$/);
  });

  test("the reason for a refusal includes a facilitator's explanation if it is plain text, but not if it is HTML", async () => {
    const reasonFor = async (body: string) => {
      vi.spyOn(globalThis, "fetch").mockResolvedValueOnce(new Response(body, { status: 400 }));
      const client = remoteFacilitator({ url: "https://facilitator.example.com", timeoutMs: 2000 }, SILENT);
      return ((await client.verify(await paymentFrom())) as { reason: string }).reason;
    };
    expect(await reasonFor("wrong payload\n")).toMatch(/400: wrong payload$/);
    expect(await reasonFor("\n<html>nginx</html>")).toMatch(/400: the facilitator gave no reason$/);
    vi.restoreAllMocks();
  });

  test("a facilitator's last rejection of each call is remembered for an hour", async () => {
    const client = facilitatorWith({ error: "remembered" }, 422);
    expect(recentFailures(client.name, Date.now())).toEqual([]);
    await client.verify(await paymentFrom());
    expect(recentFailures(client.name, Date.now())).toMatchObject([{ call: "verify", status: 422, isRejection: true }]);
    await client.settle(await paymentFrom());
    const calls = [{ call: "verify" }, { call: "settle", status: 422, isRejection: true }];
    expect(recentFailures(client.name, Date.now() + 3_500_000)).toMatchObject(calls);
    expect(recentFailures(client.name, Date.now() + 3_600_001)).toEqual([]);
  });

  test.each<[string, () => Promise<Response>, number | undefined]>([
    ["an HTTP error", async () => new Response("down", { status: 502 }), 502],
    ["a refused key", async () => Response.json({}, { status: 401 }), 401],
    ["no answer", () => Promise.reject(new TypeError("connection lost")), undefined],
  ])("a facilitator's %s is remembered until its next verdict on the same call", async (_, fail, status) => {
    const client = facilitatorWith({ isValid: true }, 200);
    const fetched = vi.spyOn(globalThis, "fetch").mockImplementation(fail);
    await client.verify(await paymentFrom());
    await client.settle(await paymentFrom());
    fetched.mockRestore();
    const failure = { status, isRejection: false };
    expect(recentFailures(client.name, Date.now())).toMatchObject([
      { call: "verify", ...failure },
      { call: "settle", ...failure },
    ]);
    await client.verify(await paymentFrom());
    expect(recentFailures(client.name, Date.now())).toMatchObject([{ call: "settle", ...failure }]);
  });
});

describe("remoteFacilitator.settle", () => {
  const refusal = (errorReason: string) => ({ success: false, errorReason, transaction: "", network: "base-sepolia" });
  const success = { success: true, transaction: "0x1", network: "base-sepolia", payer: `0x${"01".repeat(20)}` };

  test.each<[string, object, string]>([
    ["a success", success, "settled"],
    ["a success that names the network by its CAIP-2 id", { ...success, network: "eip155:84532" }, "settled"],
    [
      "a success that names the payer in upper case",
      { ...success, payer: `0x${"01".repeat(20).toUpperCase()}` },
      "settled",
    ],
    ["a success that names neither the network nor the payer", { success: true, transaction: "0x1" }, "settled"],
    ["a success on another network", { ...success, network: "base" }, "unknown"],
    ["a success for another payer", { ...success, payer: `0x${"02".repeat(20)}` }, "unknown"],
    ["a success without a transaction", { ...success, transaction: "" }, "unknown"],
    ["a success whose transaction hash is all zeros", { ...success, transaction: `0x${"0".repeat(64)}` }, "unknown"],
    ["success as text", { ...success, success: "true" }, "unknown"],
    ["an empty object", {}, "unknown"],
    ["a list", [success], "unknown"],
    ...[
      "invalid_exact_evm_nonce_already_used",
      "nonce_already_used",
      "FiatTokenV2: authorization is used or canceled",
      "AuthorizationUsedOrCanceled",
      "duplicate_settlement",
    ].map((reason): [string, object, string] => [reason, refusal(reason), "used"]),
    ...[
      "insufficient_funds",
      "invalid_exact_evm_insufficient_balance",
      "execution reverted: transfer amount exceeds balance",
      "invalid_exact_evm_signature",
      "invalid_exact_evm_payload_authorization_valid_before",
      "blocklisted",
      "",
    ].map((reason): [string, object, string] => [reason, refusal(reason), "refused"]),
    ...["invalid_transaction_state", "execution reverted", "settle_exact_failed_onchain"].map(
      (reason): [string, object, string] => [reason, refusal(reason), "reverted"],
    ),
    ...[
      "invalid_exact_evm_transaction_failed",
      "invalid_exact_evm_insufficient_balance",
      "invalid_exact_evm_transaction_simulation_failed",
      "an unknown reason",
    ].map((reason): [string, object, string] => [
      `${reason} with a transaction hash`,
      { ...refusal(reason), transaction: "0x1" },
      "reverted",
    ]),
    ["a failed simulation", refusal("invalid_exact_evm_transaction_simulation_failed"), "simulated"],
    ...["invalid_exact_evm_transaction_failed", "invalid_exact_evm_failed_to_execute_transfer"].map(
      (reason): [string, object, string] => [`${reason} without a transaction hash`, refusal(reason), "unsent"],
    ),
    [
      "a failed transaction with a zero hash",
      { ...refusal("invalid_exact_evm_transaction_failed"), transaction: `0x${"0".repeat(64)}` },
      "unsent",
    ],
    ...[
      "settlement_pending",
      "unexpected_settle_error",
      'Timed out while waiting for transaction with hash "0x1" to be confirmed.',
      "request timeout",
      "The request took too long to respond. URL: http://node.example.com",
      "HTTP request failed. Status: 502",
      "settle_exact_node_failure",
      "unknown_error",
    ].map((reason): [string, object, string] => [reason, refusal(reason), "unknown"]),
    [
      "a sent transaction without a receipt",
      { ...refusal("invalid_exact_evm_failed_to_get_receipt"), transaction: "0x1" },
      "unknown",
    ],
  ])("the facilitator client interprets the answer to a settlement: %s", async (_, answer, outcome) => {
    for (const status of [200, 402]) expect((await settled(answer, status)).outcome).toBe(outcome);
    for (const status of [500, 502]) expect((await settled(answer, status)).outcome).toBe("unknown");
    if (outcome !== "unknown") expect((await settled(answer, 400)).outcome, "a verdict with 400").toBe(outcome);
  });

  test("a settlement without a verdict counts as unprocessed only for HTTP statuses that exclude processing", async () => {
    const outcomeOf = async (status: number) => (await settled({ error: "no verdict" }, status)).outcome;
    for (const status of [401, 403, 429, 521, 523, 525, 526, 530])
      expect([status, await outcomeOf(status)]).toEqual([status, "unprocessed"]);
    for (const status of [200, 202, 402, 408, 409, 500, 502, 503, 504, 520, 522, 524])
      expect([status, await outcomeOf(status)]).toEqual([status, "unknown"]);
    for (const status of [400, 404, 413, 422]) expect([status, await outcomeOf(status)]).toEqual([status, "refused"]);
  });

  test("the facilitator client does not follow redirects", async () => {
    const at = (behavior: string) => ({ url: `https://facilitator.example.com/${behavior}`, timeoutMs: 2000 });
    const moved = remoteFacilitator(at("moved-to-good"), SILENT);
    expect(await moved.verify(await paymentFrom())).toEqual({ outcome: "unknown" });
    expect(await moved.settle(await paymentFrom())).toEqual({ outcome: "unknown" });
    await expect(askSupported(at("moved-to-settles-84532-base_sepolia"))).rejects.toThrow("307");
  });

  test("the type of a Coinbase API error determines the outcome of a settlement", async () => {
    const outcomeOf = async (errorType: string) =>
      (await settled({ errorType, errorMessage: "why", correlationId: "1" }, 400)).outcome;
    expect(await outcomeOf("settle_exact_failed_onchain")).toBe("reverted");
    expect(await outcomeOf("settle_exact_node_failure")).toBe("unknown");
    expect(await outcomeOf("invalid_request")).toBe("refused");
  });

  test("the facilitator client shortens the facilitator's reason for a refusal to one line of 200 characters", async () => {
    const { reason } = (await settled(refusal(`no\n\n${"x".repeat(5000)}`))) as { reason: string };
    expect(reason).toMatch(/^no x{197}$/);
  });

  test("the unknown outcome of a settlement includes the facilitator's transaction hash", async () => {
    expect(await settled({ ...refusal("settlement_pending"), transaction: "0x9" })).toEqual({
      outcome: "unknown",
      transaction: "0x9",
    });
    const none = { ...refusal("settlement_pending"), transaction: `0x${"0".repeat(64)}` };
    expect(await settled(none), "zeros are none").toEqual({ outcome: "unknown" });
  });
});

describe("facilitatorClients", () => {
  const url = "https://facilitator.example.com/echoes";
  /** Returns the request path and the Authorization header that the facilitator receives. */
  const headersSent = async (listed: RemoteFacilitator) => {
    const [facilitator] = facilitatorClients({ facilitators: [listed], facilitatorTimeoutMs: 2000 }, false, SILENT);
    const verdict = await facilitator!.verify(await paymentFrom());
    return (verdict as { reason: string }).reason;
  };

  test("the facilitator client sends the Authorization header that is configured for the facilitator", async () => {
    const listed = { url: `${url}/`, timeoutMs: 2000, auth: { header: "Bearer 7" } };
    expect(await headersSent(listed)).toBe("/echoes/verify Bearer 7");
  });

  test("the facilitator client sends no Authorization header to a facilitator that is configured without a key", async () => {
    expect(await headersSent({ url, timeoutMs: 2000 })).toBe("/echoes/verify null");
  });

  test("a facilitator's answer to GET /supported lists the accounts that send its transactions on a chain", () => {
    const [own, all] = [`0x${"Fa".repeat(20)}`, `0x${"fb".repeat(20)}`];
    const signersOf = (signers: object | undefined) =>
      remoteFacilitator({ url, timeoutMs: 2000, supported: readSupported({ kinds: [], signers }) }, SILENT).signersOn(
        NETWORKS["base-sepolia"],
      );
    expect(signersOf({ "eip155:84532": [own], "eip155:*": [all], "eip155:1": [`0x${"fc".repeat(20)}`] })).toEqual([
      own.toLowerCase(),
      all,
    ]);
    for (const none of [undefined, {}, { "solana:*": [own] }, { "eip155:*": ["0x1", "me"] }, { "eip155:*": own }])
      expect(signersOf(none)).toEqual([]);
    expect(remoteFacilitator({ url, timeoutMs: 2000 }, SILENT).signersOn(NETWORKS.base)).toEqual([]);
  });

  test("facilitatorNamed returns the client of a facilitator even if the settings no longer list the facilitator", async () => {
    const payment = await paymentFrom();
    const listed = { url, timeoutMs: 2000, auth: { header: "Bearer 7" } };
    for (const [facilitators, header] of [
      [[listed], "Bearer 7"],
      [[], "null"],
    ] as const)
      expect(await facilitatorNamed(url, { facilitators, facilitatorTimeoutMs: 2000 }, SILENT).verify(payment)).toEqual(
        { outcome: "invalid", reason: `/echoes/verify ${header}` },
      );
  });

  test("facilitatorClients returns the local facilitator if none is configured, and throws if the local one is not allowed", async () => {
    const none = { facilitators: [], facilitatorTimeoutMs: 2000 };
    expect(facilitatorClients(none, true, SILENT)).toEqual([localFacilitator]);
    expect(() => facilitatorClients(none, false, SILENT)).toThrow(PaymentError);
  });
});

describe("cdpToken", () => {
  const url = new URL("https://api.cdp.coinbase.com/platform/v2/x402/verify");
  const base64 = (buffer: ArrayBuffer) => new Uint8Array(buffer).toBase64();
  const pem = (label: string, der: Uint8Array) => {
    const lines = der.toBase64().match(/.{1,64}/g)!;
    return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ""].join("\n");
  };
  const bytesOf = (part: string) => Uint8Array.fromBase64(part, { alphabet: "base64url" });
  const decoded = (part: string): unknown => JSON.parse(new TextDecoder().decode(bytesOf(part)));

  async function checkToken(secret: string, alg: string, key: CryptoKey, algorithm: { name: string; hash?: string }) {
    const [head, claims, signature, ...more] = (await cdpToken({ id: "key-id", secret }, "POST", url, 1000)).split(".");
    expect(more).toEqual([]);
    expect(decoded(head!)).toEqual({ alg, kid: "key-id", typ: "JWT", nonce: expect.stringMatching(/^[0-9a-f]{32}$/) });
    expect(decoded(claims!)).toEqual({
      iss: "cdp",
      sub: "key-id",
      iat: 1000,
      nbf: 1000,
      exp: 1120,
      uris: ["POST api.cdp.coinbase.com/platform/v2/x402/verify"],
    });
    const signed = new TextEncoder().encode(`${head}.${claims}`);
    expect(await crypto.subtle.verify(algorithm, key, bytesOf(signature!), signed)).toBe(true);
  }

  test("cdpToken signs a token for Coinbase's API with an Ed25519 key (base64 of seed and public key)", async () => {
    const keys = (await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"])) as CryptoKeyPair;
    const { d, x } = (await crypto.subtle.exportKey("jwk", keys.privateKey)) as { d: string; x: string };
    const secret = Uint8Array.of(...bytesOf(d), ...bytesOf(x)).toBase64();
    await checkToken(secret, "EdDSA", keys.publicKey, { name: "Ed25519" });
  });

  const P256 = { name: "ECDSA", namedCurve: "P-256" };
  test.each<[string, (pkcs8: Uint8Array) => string]>([
    ["PKCS #8", (pkcs8) => pem("PRIVATE KEY", pkcs8)],
    // The SEC 1 key is the octet string within the PKCS #8 key.
    ["SEC 1", (pkcs8) => pem("EC PRIVATE KEY", pkcs8.subarray(29))],
    ["SEC 1 on one line", (pkcs8) => pem("EC PRIVATE KEY", pkcs8.subarray(29)).replaceAll("\n", "\\n")],
  ])("cdpToken signs a token for Coinbase's API with a P-256 key (PEM, %s)", async (_, write) => {
    const keys = (await crypto.subtle.generateKey(P256, true, ["sign", "verify"])) as CryptoKeyPair;
    const pkcs8 = new Uint8Array((await crypto.subtle.exportKey("pkcs8", keys.privateKey)) as ArrayBuffer);
    await checkToken(write(pkcs8), "ES256", keys.publicKey, { name: "ECDSA", hash: "SHA-256" });
  });

  test.each(["", "not base64!", base64(new ArrayBuffer(32))])(
    "cdpToken rejects the malformed secret %j of a Coinbase key without repeating the secret in the message",
    async (secret) => {
      const error = await cdpToken({ id: "key-id", secret }, "POST", url, 1000).catch((error: Error) => error.message);
      expect(error).toMatch(/^the CDP key's secret is/);
      if (secret) expect(error).not.toContain(secret);
    },
  );
});
