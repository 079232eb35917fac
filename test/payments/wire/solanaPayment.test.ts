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
  test.each([1, 2] as const)("is read, and passed on with who pays its fee, in version %i", (version) => {
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
  });

  test("is the same one in both versions and with other signatures, and another one with another message", () => {
    const key = paymentKey(read(transactionOf()));
    expect(key).toMatch(new RegExp(`^${SOLANA.caip2}:${SOLANA.asset}:${PAYER}:[0-9a-f]{64}$`));
    expect(paymentKey(read(transactionOf(), 1))).toBe(key);
    expect(paymentKey(read(transactionOf({ signature: new Uint8Array(64).fill(8) })))).toBe(key);
    expect(paymentKey(read(` ${transactionOf()}`.replace(/=+$/, "")))).toBe(key);
    const other = { ...MEMO, data: new TextEncoder().encode("fedcba9876543210") };
    expect(paymentKey(read(transactionOf({ instructions: [transferOf(), other] })))).not.toBe(key);
    expect(paymentKey(read(transactionOf({ blockhash: PAYER })))).not.toBe(key);
  });

  test("is good for as long as its blockhash can last", () => {
    const { validAfter, validBefore } = read(transactionOf()).authorization;
    expect(validAfter).toBe("0");
    expect(Number(validBefore) - Date.now() / 1000).toBeCloseTo(120, -1);
  });

  const system: Instruction = { programAddress: SYSTEM_PROGRAM, accounts: [], data: new Uint8Array([4, 0, 0, 0]) };
  const transferringWith = (data: Uint8Array) => transactionOf({ instructions: [transferOf({ data })] });
  const with2 = (second: Instruction) => transactionOf({ instructions: [transferOf(), second] });
  test.each<[string, string, RegExp]>([
    ["no transaction", "", /invalid_exact_svm_payload_transaction: the transaction ends early/],
    ["a transaction that is cut", transactionOf().slice(0, -40), /invalid_exact_svm_payload_transaction: /],
    ["a durable nonce", transactionOf({ instructions: [system, transferOf()] }), /durable nonce/],
    ["a durable nonce in another place", with2(system), /durable nonce/],
    ["no transfer", transactionOf({ instructions: [MEMO] }), /TransferChecked/],
    ["two transfers", with2(transferOf({ amount: 1n })), /TransferChecked/],
    ["another token instruction besides", with2({ ...transferOf({ data: new Uint8Array([13]) }) }), /TransferChecked/],
    ["Transfer, unchecked", transferringWith(new Uint8Array(9).fill(3, 0, 1)), /TransferChecked/],
    ["too little data", transferringWith(new Uint8Array(1).fill(12)), /TransferChecked/],
    ["too much data", transferringWith(new Uint8Array(11).fill(12, 0, 1)), /TransferChecked/],
    [
      "a token program of its own",
      transactionOf({ instructions: [transferOf({ program: PAYER })] }),
      /TransferChecked/,
    ],
    ["another token", transactionOf({ instructions: [transferOf({ mint: PAYER })] }), /mint_mismatch/],
    ["too little", transactionOf({ instructions: [transferOf({ amount: 49_999n })] }), /amount_mismatch: .*50000/],
    ["too much", transactionOf({ instructions: [transferOf({ amount: 2n ** 64n - 1n })] }), /amount_mismatch/],
    ["a fee paid by a stranger", transactionOf({ feePayer: PAYER }), /fee/],
    [
      "the tokens of who pays the fee",
      transactionOf({ instructions: [transferOf({ authority: FEE_PAYER })] }),
      /who pays the fee/,
    ],
    ["several owners", transactionOf({ instructions: [transferOf({ more: [SELLER] })] }), /owner of the tokens/],
  ])("with %s is refused with a 402 that says why", (_, transaction, reason) => {
    for (const version of [1, 2] as const) {
      expect(() => read(transaction, version)).toThrow(reason);
      expect(() => read(transaction, version)).toThrow(PaymentRequired);
    }
  });

  test("with a transfer of too few accounts, or whose owner has not to sign, is refused", () => {
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
  ])("of the shape %j is refused", (payload, reason) => {
    const sent = { ...solanaPayment("", 1), payload };
    expect(() => readPaymentPayload(sent, SOLANA_OFFER)).toThrow(reason);
  });

  test("must accept the offer as it is, but for which of the facilitator's accounts pays", () => {
    const accepting = (fields: object, transaction = transactionOf()) =>
      readPaymentPayload(
        { ...solanaPayment(transaction), accepted: { ...SOLANA_OFFER.v2[0], ...fields } },
        SOLANA_OFFER,
      );
    const other = { extra: { feePayer: OTHER_FEE_PAYER } };
    expect(accepting(other, transactionOf({ feePayer: OTHER_FEE_PAYER })).transfer?.feePayer).toBe(OTHER_FEE_PAYER);
    expect(() => accepting(other)).toThrow("accepted.extra.feePayer");
    expect(() => accepting({ asset: SOLANA.asset.toLowerCase() })).toThrow("accepted.asset");
    expect(() => accepting({ payTo: SELLER.toLowerCase() })).toThrow("accepted.payTo");
    expect(() => accepting({ amount: "1" })).toThrow("accepted.amount");
  });

  test("is nothing that the facilitator for development could settle", async () => {
    expect(await localFacilitator.verify(read(transactionOf()))).toEqual({ outcome: "unknown" });
  });
});

describe("facilitators of payments on Solana", () => {
  const answers = (answer: object, status = 200) =>
    `https://facilitator.example.com/says-${encodeURIComponent(btoa(JSON.stringify({ status, answer })))}`;
  const settled = (answer: object, status = 200, payment: PaymentPayload = read(transactionOf())) =>
    remoteFacilitator({ url: answers(answer, status), timeoutMs: 2000 }, SILENT).settle(payment);
  const refusal = (errorReason: string) => ({ success: false, errorReason, transaction: "", network: SOLANA.caip2 });
  const success = { success: true, transaction: "5sig", network: SOLANA.caip2, payer: PAYER };

  test.each<[string, object, string]>([
    ["settled", success, "settled"],
    ["settled, the network by its other name", { ...success, network: "solana-devnet" }, "settled"],
    ["settled on another network", { ...success, network: "solana" }, "unknown"],
    ["settled for another payer", { ...success, payer: SELLER }, "unknown"],
    ["settled without a transaction", { ...success, transaction: "" }, "unknown"],
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
  ])("a settlement's answer %s", async (_, answer, outcome) => {
    for (const status of [200, 402]) expect((await settled(answer, status)).outcome).toBe(outcome);
    expect((await settled(answer, 500)).outcome).toBe("unknown");
  });

  test("a transaction that the chain cannot execute is explained, when it is verified and when it is settled", async () => {
    const invalidReason = "invalid_exact_svm_transaction_simulation_failed";
    const explained = { reason: expect.stringMatching(`${invalidReason}: .*blockhash has lapsed`) };
    expect(await settled(refusal(invalidReason))).toEqual({ outcome: "refused", ...explained });
    const supported = readSupported({
      kinds: [{ x402Version: 2, scheme: "exact", network: SOLANA.caip2, extra: { feePayer: FEE_PAYER } }],
    });
    const url = answers({ isValid: false, invalidReason });
    const verdict = await remoteFacilitator({ url, timeoutMs: 2000, supported }, SILENT).verify(read(transactionOf()));
    expect(verdict).toEqual({ outcome: "invalid", ...explained });
  });

  test("only the one that pays the fee is asked", async () => {
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
    expect(await verdictOf(supported(FEE_PAYER), 1), "it does not settle version 1").toBe("unknown");
    expect(await verdictOf(undefined)).toBe("unknown");
  });

  test("any that settles there is asked, where it is not known who pays the fee", async () => {
    const payment = read(transactionOf({ feePayer: SELLER }), 2, SELLER);
    const kinds = [{ x402Version: 2, scheme: "exact", network: SOLANA.caip2, extra: { feePayer: FEE_PAYER } }];
    const verdictOf = async (supported: ReturnType<typeof readSupported>) =>
      (await remoteFacilitator({ url: answers({ isValid: true }), timeoutMs: 2000, supported }, SILENT).verify(payment))
        .outcome;
    expect(await verdictOf(readSupported({ kinds }))).toBe("valid");
    expect(await verdictOf(readSupported({ kinds: [] }))).toBe("unknown");
  });
});

describe("what the chain proves of a payment on Solana", () => {
  const ours = transactionOf();
  const NOW = Math.floor(Date.now() / 1000);
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date"], now: NOW * 1000 });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  interface Scene {
    /** Whether the blockhash can still be used. */
    valid?: boolean;
    /** What the payer's account has been in, the newest first. */
    found?: { transaction: string; err?: unknown; blockTime?: number | null }[];
    /** How long ago a facilitator was first asked, in seconds. */
    asked?: number;
    /** How many times it has been in them. */
    repeat?: number;
    broken?: object;
  }

  /** With one transaction at most: this node has the same answer for each. */
  async function evidence({ valid = true, found = [], asked = 5, repeat = 1, broken }: Scene) {
    const results = {
      isBlockhashValid: { context: { slot: 9 }, value: valid },
      getSignaturesForAddress: found.map(({ err = null, blockTime = NOW }, index) => ({
        ...{ signature: `sig${index}`, err, blockTime, slot: 9, memo: null },
      })),
      getTransaction: { slot: 9, transaction: [found[0]?.transaction, "base64"], meta: null },
    };
    const scene = broken ? { broken } : { results, repeat };
    const url = `https://node.example.com/${encodeURIComponent(btoa(JSON.stringify(scene)))}`;
    const events: PaymentEvent[] = [];
    const firstAsked = (NOW - asked) * 1000;
    const proof = await evidenceOf(read(ours), firstAsked, url, { ...SILENT, log: (event) => events.push(event) });
    return { proof, events };
  }
  const proves = async (scene: Scene) => (await evidence(scene)).proof;
  const lost = (reason: string) => ({ outcome: "lost", reason: expect.stringContaining(reason) });
  const settled = { outcome: "settled", transaction: "sig0" };

  test("it is settled by its own message, with whatever signatures", async () => {
    expect(await proves({ found: [{ transaction: ours }] })).toEqual(settled);
    const signed = transactionOf({ signature: new Uint8Array(64).fill(1) });
    expect(await proves({ valid: false, asked: 500, found: [{ transaction: signed }] })).toEqual(settled);
    expect(await proves({ found: [{ transaction: ours, blockTime: null }] })).toEqual(settled);
  });

  test("nothing is proved by other transactions of the payer, of whatever kind", async () => {
    const others = [transactionOf({ instructions: [transferOf()] }), new Uint8Array([1, 2, 3]).toBase64(), ""];
    for (const transaction of others) expect(await proves({ found: [{ transaction }] })).toBeUndefined();
    expect(await proves({})).toBeUndefined();
  });

  test("it is lost if the chain has refused it", async () => {
    for (const err of [{ InstructionError: [2, { Custom: 1 }] }, "AccountNotFound"])
      expect(await proves({ found: [{ transaction: ours, err }] })).toEqual(lost("refused"));
  });

  test("it is lost if it was settled before anybody was asked to", async () => {
    expect(await proves({ found: [{ transaction: ours, blockTime: NOW - 14 }] }), "clocks differ").toEqual(settled);
    expect(await proves({ found: [{ transaction: ours, blockTime: NOW - 17 }] })).toEqual(lost("before"));
  });

  test("it is lost once its blockhash has lapsed, which new ones only seem to have", async () => {
    expect(await proves({ valid: false, asked: 125 })).toEqual(lost("lapsed"));
    expect(await proves({ valid: false, asked: 115 })).toBeUndefined();
    expect(await proves({ valid: true, asked: 10_000 }), "the chain stands still").toBeUndefined();
  });

  test("it is not lost where there was more to look through than there is time for", async () => {
    const others = (repeat: number, blockTime = NOW) =>
      proves({
        ...{ valid: false, asked: 125, repeat },
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
  ])("a node that answers %j proves nothing, and is logged", async (broken) => {
    const { proof, events } = await evidence({ broken });
    expect(proof).toBeUndefined();
    expect(events).toEqual([expect.objectContaining({ event: "chain", network: "solana-devnet" })]);
  });
});
