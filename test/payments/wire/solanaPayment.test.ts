import { AccountRole, address, type Instruction } from "@solana/kit";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { evidenceOf } from "../../../src/payments/chain/chain.ts";
import { localFacilitator } from "../../../src/payments/facilitators/localFacilitator.ts";
import { remoteFacilitator } from "../../../src/payments/facilitators/remoteFacilitator.ts";
import { readSupported } from "../../../src/payments/facilitators/supported.ts";
import type { PaymentEvent } from "../../../src/payments/wire/events.ts";
import { PaymentRequired } from "../../../src/payments/wire/offer.ts";
import { type PaymentPayload, paymentKey, readPaymentPayload } from "../../../src/payments/wire/paymentPayload.ts";
import { SILENT } from "../payments.ts";
import {
  BLOCKHASH,
  FEE_PAYER,
  MEMO,
  OTHER_FEE_PAYER,
  PAYER,
  SELLER,
  SOLANA,
  SOLANA_OFFER,
  SOURCE,
  solanaPayment,
  transactionOf,
  transferOf,
} from "./solana.ts";

const read = (transaction: string, version: 1 | 2 = 2, feePayer = FEE_PAYER) =>
  readPaymentPayload(solanaPayment(transaction, version, feePayer), SOLANA_OFFER);
const SYSTEM_PROGRAM = address("11111111111111111111111111111111");

describe("a payment on Solana", () => {
  test.each([1, 2] as const)(
    "the service reads a Solana payment of x402 version %i and passes the payment's fee payer to the facilitator",
    (version) => {
      const transaction = transactionOf({ feePayer: OTHER_FEE_PAYER });
      const payment = read(transaction, version, OTHER_FEE_PAYER);
      expect(payment).toMatchObject({
        version,
        network: "solana-devnet",
        authorization: { from: PAYER, to: SELLER, value: "50000" },
        signature: "09".repeat(64),
        transfer: { feePayer: OTHER_FEE_PAYER, source: SOURCE, blockhash: BLOCKHASH },
      });
      const { paymentPayload, paymentRequirements } = JSON.parse(payment.request);
      expect(paymentPayload.payload).toEqual({ transaction });
      const offered = version === 1 ? SOLANA_OFFER.v1[0] : SOLANA_OFFER.v2[0];
      expect(paymentRequirements).toEqual({ ...offered, extra: { feePayer: OTHER_FEE_PAYER } });
    },
  );

  test("a Solana payment is identified by its message, not by its x402 version or its signatures", () => {
    const key = paymentKey(read(transactionOf()));
    expect(key).toMatch(new RegExp(`^${SOLANA.caip2}:${SOLANA.asset}:${PAYER}:[0-9a-f]{64}$`));
    expect(paymentKey(read(transactionOf(), 1))).toBe(key);
    expect(paymentKey(read(transactionOf({ signature: new Uint8Array(64).fill(8) })))).toBe(key);
    expect(paymentKey(read(` ${transactionOf()}`.replace(/=+$/, "")))).toBe(key);
    const other = { ...MEMO, data: new TextEncoder().encode("fedcba9876543210") };
    expect(paymentKey(read(transactionOf({ instructions: [transferOf(), other] })))).not.toBe(key);
    expect(paymentKey(read(transactionOf({ blockhash: PAYER })))).not.toBe(key);
  });

  test("the validity of a Solana payment is limited to a blockhash's lifetime", () => {
    const { validAfter, validBefore } = read(transactionOf()).authorization;
    expect(validAfter).toBe("0");
    expect(Number(validBefore) - Date.now() / 1000).toBeCloseTo(120, -1);
  });

  const system: Instruction = { programAddress: SYSTEM_PROGRAM, accounts: [], data: new Uint8Array([4, 0, 0, 0]) };
  const transferringWith = (data: Uint8Array) => transactionOf({ instructions: [transferOf({ data })] });
  const with2 = (second: Instruction) => transactionOf({ instructions: [transferOf(), second] });
  test.each<[string, string, RegExp]>([
    ["no transaction", "", /invalid_exact_svm_payload_transaction: the transaction ends early/],
    ["a truncated transaction", transactionOf().slice(0, -40), /invalid_exact_svm_payload_transaction: /],
    ["a durable nonce", transactionOf({ instructions: [system, transferOf()] }), /durable nonce/],
    ["a durable nonce set by the second instruction", with2(system), /durable nonce/],
    ["no transfer", transactionOf({ instructions: [MEMO] }), /TransferChecked/],
    ["two transfers", with2(transferOf({ amount: 1n })), /TransferChecked/],
    ["a second token instruction", with2({ ...transferOf({ data: new Uint8Array([13]) }) }), /TransferChecked/],
    ["Transfer, unchecked", transferringWith(new Uint8Array(9).fill(3, 0, 1)), /TransferChecked/],
    ["too little data", transferringWith(new Uint8Array(1).fill(12)), /TransferChecked/],
    ["too much data", transferringWith(new Uint8Array(11).fill(12, 0, 1)), /TransferChecked/],
    ["another token program", transactionOf({ instructions: [transferOf({ program: PAYER })] }), /TransferChecked/],
    ["another token", transactionOf({ instructions: [transferOf({ mint: PAYER })] }), /mint_mismatch/],
    ["another fee payer", transactionOf({ feePayer: PAYER }), /fee/],
    [
      "a transfer of the fee payer's tokens",
      transactionOf({ instructions: [transferOf({ authority: FEE_PAYER })] }),
      /fee payer/,
    ],
    ["several owners", transactionOf({ instructions: [transferOf({ more: [SELLER] })] }), /owner of the tokens/],
  ])("a Solana payment with %s is rejected, and the 402 states the reason", (_, transaction, reason) => {
    for (const version of [1, 2] as const) {
      expect(() => read(transaction, version)).toThrow(reason);
      expect(() => read(transaction, version)).toThrow(PaymentRequired);
    }
  });

  test.each([49_999n, 2n ** 64n - 1n])(
    "a Solana payment of %s atomic units is rejected because it does not match the price",
    (amount) => {
      const payment = transactionOf({ instructions: [transferOf({ amount })] });
      for (const version of [1, 2] as const)
        expect(read(payment, version).mismatch).toMatch(/amount_mismatch: .*50000/);
    },
  );

  test("a Solana transfer with too few accounts or without the owner's signature is rejected", () => {
    const { accounts, ...transfer } = transferOf();
    for (const changed of [
      accounts!.slice(0, 3),
      accounts!.toSpliced(3, 1, { address: PAYER, role: AccountRole.READONLY }),
    ]) {
      const instructions = [{ ...transfer, accounts: changed } as Instruction];
      expect(() => read(transactionOf({ instructions }))).toThrow("signed by the owner");
    }
  });

  test.each<[object, RegExp]>([
    [{}, /invalid_payload: payload\.transaction/],
    [{ transaction: 1 }, /invalid_payload: payload\.transaction/],
    [{ transaction: null, signature: "0x", authorization: {} }, /invalid_payload: payload\.transaction/],
    [{ transaction: transactionOf() + "A".repeat(10_000) }, /invalid_payload: .*8192/],
    [{ transaction: "A".repeat(4000) }, /1232/],
  ])("the payload %j of a Solana payment is rejected", (payload, reason) => {
    const sent = { ...solanaPayment("", 1), payload };
    expect(() => readPaymentPayload(sent, SOLANA_OFFER)).toThrow(reason);
  });

  test("a client must return the Solana offer unchanged, but may choose any fee payer of the facilitator", () => {
    const accepting = (fields: object, transaction = transactionOf()) =>
      readPaymentPayload(
        { ...solanaPayment(transaction), accepted: { ...SOLANA_OFFER.v2[0], ...fields } },
        SOLANA_OFFER,
      );
    const other = { extra: { feePayer: OTHER_FEE_PAYER } };
    expect(accepting(other, transactionOf({ feePayer: OTHER_FEE_PAYER })).transfer?.feePayer).toBe(OTHER_FEE_PAYER);
    expect(accepting({}).mismatch).toBeUndefined();
    expect(accepting(other).mismatch).toContain("accepted.extra.feePayer");
    expect(accepting({ asset: SOLANA.asset.toLowerCase() }).mismatch).toContain("accepted.asset");
    expect(accepting({ payTo: SELLER.toLowerCase() }).mismatch).toContain("accepted.payTo");
    expect(accepting({ amount: "1" }).mismatch).toContain("accepted.amount");
  });

  test("the local facilitator gives no verdict on a Solana payment, because it does not support Solana", async () => {
    expect(await localFacilitator.verify(read(transactionOf()))).toEqual({ outcome: "unknown" });
  });
});

describe("remoteFacilitator on Solana", () => {
  const answers = (answer: object, status = 200) =>
    `https://facilitator.example.com/says-${encodeURIComponent(btoa(JSON.stringify({ status, answer })))}`;
  const settled = (answer: object, status = 200, payment: PaymentPayload = read(transactionOf())) =>
    remoteFacilitator({ url: answers(answer, status), timeoutMs: 2000 }, SILENT).settle(payment);
  const refusal = (errorReason: string) => ({ success: false, errorReason, transaction: "", network: SOLANA.caip2 });
  const success = { success: true, transaction: "5sig", network: SOLANA.caip2, payer: PAYER };

  test.each<[string, object, string]>([
    ["a success", success, "settled"],
    ["a success that uses the network's name of x402 version 1", { ...success, network: "solana-devnet" }, "settled"],
    ["a success on another network", { ...success, network: "solana" }, "unknown"],
    ["a success for another payer", { ...success, payer: SELLER }, "unknown"],
    ["a success without a transaction", { ...success, transaction: "" }, "unknown"],
    ...[
      "insufficient_funds",
      "duplicate_settlement",
      "invalid_exact_svm_transaction_simulation_failed",
      "transaction_simulation_failed",
      "invalid_exact_svm_payload_signature_invalid",
      "fee_payer_not_managed_by_facilitator",
      "invalid_exact_svm_verification_failed",
      "unsupported_scheme",
    ].map((reason): [string, object, string] => [reason, refusal(reason), "refused"]),
    ...[
      "transaction_failed",
      "invalid_exact_svm_transaction_failed",
      "settlement_pending",
      "post_settlement_transfer_not_confirmed",
      "settle_exact_svm_block_height_exceeded",
      "settle_exact_svm_transaction_confirmation_timed_out",
      "unexpected_settle_error",
      "failed_to_execute_transfer",
    ].map((reason): [string, object, string] => [reason, refusal(reason), "unknown"]),
  ])("the facilitator client interprets the answer to a settlement on Solana: %s", async (_, answer, outcome) => {
    for (const status of [200, 402]) expect((await settled(answer, status)).outcome).toBe(outcome);
    expect((await settled(answer, 500)).outcome).toBe("unknown");
  });

  test("the reason for a refusal explains why a Solana transaction failed in simulation, at verification and settlement", async () => {
    const invalidReason = "invalid_exact_svm_transaction_simulation_failed";
    const explained = { reason: expect.stringMatching(`${invalidReason}: .*blockhash has expired`) };
    expect(await settled(refusal(invalidReason))).toEqual({ outcome: "refused", ...explained });
    const supported = readSupported({
      kinds: [{ x402Version: 2, scheme: "exact", network: SOLANA.caip2, extra: { feePayer: FEE_PAYER } }],
    });
    const url = answers({ isValid: false, invalidReason });
    const verdict = await remoteFacilitator({ url, timeoutMs: 2000, supported }, SILENT).verify(read(transactionOf()));
    expect(verdict).toEqual({ outcome: "invalid", ...explained });
  });

  test("a Solana payment is verified only by the facilitator that pays its fee", async () => {
    const supported = (feePayer: string, signers: object = {}) =>
      readSupported({
        kinds: [{ x402Version: 2, scheme: "exact", network: SOLANA.caip2, extra: { feePayer } }],
        signers,
      });
    const verdictOf = async (known: ReturnType<typeof supported> | undefined, version: 1 | 2 = 2) => {
      const url = answers({ isValid: true });
      const client = remoteFacilitator({ url, timeoutMs: 2000, supported: known }, SILENT);
      return (await client.verify(read(transactionOf(), version))).outcome;
    };
    expect(await verdictOf(supported(FEE_PAYER))).toBe("valid");
    expect(await verdictOf(supported(OTHER_FEE_PAYER))).toBe("unknown");
    expect(await verdictOf(supported(OTHER_FEE_PAYER, { "solana:*": [FEE_PAYER] }))).toBe("valid");
    expect(await verdictOf(supported(OTHER_FEE_PAYER, { "eip155:*": [FEE_PAYER] }))).toBe("unknown");
    expect(await verdictOf(supported(FEE_PAYER), 1), "the facilitator does not support version 1").toBe("unknown");
    expect(await verdictOf(undefined)).toBe("unknown");
  });

  test("any facilitator that supports Solana can verify a Solana payment whose fee payer is unknown", async () => {
    const payment = read(transactionOf({ feePayer: SELLER }), 2, SELLER);
    const kinds = [{ x402Version: 2, scheme: "exact", network: SOLANA.caip2, extra: { feePayer: FEE_PAYER } }];
    const verdictOf = async (supported: ReturnType<typeof readSupported>) =>
      (await remoteFacilitator({ url: answers({ isValid: true }), timeoutMs: 2000, supported }, SILENT).verify(payment))
        .outcome;
    expect(await verdictOf(readSupported({ kinds }))).toBe("valid");
    expect(await verdictOf(readSupported({ kinds: [] }))).toBe("unknown");
  });
});

describe("evidenceOf on Solana", () => {
  const ours = transactionOf();
  const NOW = Math.floor(Date.now() / 1000);
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date"], now: NOW * 1000 });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  interface Scene {
    /** Whether the payment's blockhash is still valid. */
    valid?: boolean;
    /** Transactions of the payer's token account, newest first. */
    found?: { transaction: string; err?: unknown; blockTime?: number | null }[];
    /** Seconds that have passed since the first settlement attempt. */
    asked?: number;
    /** Number of times that the node lists each transaction. */
    repeat?: number;
    /** Lead of the Worker's clock over the chain's clock, in seconds. */
    ahead?: number;
    broken?: object;
  }

  /**
   * Returns the evidence for a payment and the logged events. The simulated node returns the same transaction for every
   * signature, so each scene has only one distinct transaction.
   */
  async function evidence({ valid = true, found = [], asked = 5, repeat = 1, ahead = 0, broken }: Scene) {
    vi.setSystemTime((NOW + ahead) * 1000);
    const results = {
      getBlockTime: NOW,
      isBlockhashValid: { context: { slot: 9 }, value: valid },
      getSignaturesForAddress: found.map(({ err = null, blockTime = NOW }, index) => ({
        signature: `sig${index}`,
        err,
        blockTime,
        slot: 9,
        memo: null,
      })),
      getTransaction: { slot: 9, transaction: [found[0]?.transaction, "base64"], meta: null },
    };
    const scene = broken ? { broken } : { results, repeat };
    const url = `https://node.example.com/${encodeURIComponent(btoa(JSON.stringify(scene)))}`;
    const events: PaymentEvent[] = [];
    const firstAsked = (NOW + ahead - asked) * 1000;
    const proof = await evidenceOf(read(ours), firstAsked, url, { ...SILENT, log: (event) => events.push(event) });
    return { proof, events };
  }
  const proves = async (scene: Scene) => (await evidence(scene)).proof;
  const lost = (reason: string) => ({ outcome: "lost", reason: expect.stringContaining(reason) });
  const settled = { outcome: "settled", transaction: "sig0" };

  test("a Solana payment is reported as settled if its message is on the chain with any signatures", async () => {
    expect(await proves({ found: [{ transaction: ours }] })).toEqual(settled);
    const signed = transactionOf({ signature: new Uint8Array(64).fill(1) });
    expect(await proves({ valid: false, asked: 500, found: [{ transaction: signed }] })).toEqual(settled);
    expect(await proves({ found: [{ transaction: ours, blockTime: null }] })).toEqual(settled);
  });

  test.each([
    { clock: "ten minutes ahead of", ahead: 600 },
    { clock: "ten minutes behind", ahead: -600 },
  ])("a Solana payment is reported as settled if the Worker's clock is $clock the chain's clock", async ({ ahead }) => {
    expect(
      await proves({ ahead, valid: false, asked: 125, found: [{ transaction: ours, blockTime: NOW - 120 }] }),
    ).toEqual(settled);
    expect(await proves({ ahead, found: [{ transaction: ours }] })).toEqual(settled);
  });

  test("other Solana transactions of the payer are not accepted as proof of a payment", async () => {
    const others = [transactionOf({ instructions: [transferOf()] }), new Uint8Array([1, 2, 3]).toBase64(), ""];
    for (const transaction of others) expect(await proves({ found: [{ transaction }] })).toBeUndefined();
    expect(await proves({})).toBeUndefined();
  });

  test("a Solana payment is reported as lost if the chain rejected it", async () => {
    for (const err of [{ InstructionError: [2, { Custom: 1 }] }, "AccountNotFound"])
      expect(await proves({ found: [{ transaction: ours, err }] })).toEqual(lost("rejected"));
  });

  test("a Solana payment is reported as lost if it was settled before the first settlement attempt", async () => {
    expect(await proves({ found: [{ transaction: ours, blockTime: NOW - 18 }] }), "clocks differ").toEqual(settled);
    expect(await proves({ found: [{ transaction: ours, blockTime: NOW - 21 }] })).toEqual(lost("before"));
  });

  test("a Solana payment is reported as lost if its blockhash is invalid 120 seconds after the first settlement attempt", async () => {
    expect(await proves({ valid: false, asked: 125 })).toEqual(lost("lapsed"));
    expect(await proves({ valid: false, asked: 115 })).toBeUndefined();
    expect(await proves({ valid: true, asked: 10_000 }), "the chain has stopped").toBeUndefined();
  });

  test("a Solana payment is not reported as lost if the node's list of transactions may be incomplete", async () => {
    const others = (repeat: number, blockTime = NOW) =>
      proves({
        valid: false,
        asked: 125,
        repeat,
        found: [{ transaction: transactionOf({ instructions: [transferOf()] }), blockTime }],
      });
    expect(await others(99)).toEqual(lost("lapsed"));
    expect(await others(100)).toBeUndefined();
    expect(await others(100, NOW - 1000)).toEqual(lost("lapsed"));
  });

  test.each([
    { error: { code: -32005, message: "limit exceeded" } },
    { result: null },
    { result: { context: { slot: 9 }, value: "false" } },
    { result: [{ signature: "sig0", blockTime: 1 }] },
  ])("a Solana payment stays undecided, and an event is logged, if the Solana node answers %j", async (broken) => {
    const { proof, events } = await evidence({ broken });
    expect(proof).toBeUndefined();
    expect(events).toEqual([expect.objectContaining({ event: "chain", network: "solana-devnet" })]);
  });
});
