import { describe, expect, test } from "vitest";
import type { FacilitatorClient } from "../../../src/payments/facilitators/facilitator.ts";
import type { PaymentStatus } from "../../../src/payments/ledger/record.ts";
import { type AdmissionTerms, admit } from "../../../src/payments/sale/admission.ts";
import { BARE, OFFER, paymentFrom, SILENT } from "../payments.ts";

/** Creates a ledger that reports the status `found` for every payment. */
const ledgerThatFinds = (found: PaymentStatus): AdmissionTerms["ledger"] => ({
  getByName: () => ({
    waitForStatus: async () => found,
    binding: async () => undefined,
  }),
});

/** Creates a facilitator that returns the verdict of `verify`, and collects the abort signals of its verifications. */
function facilitatorThat(verify: () => Promise<Awaited<ReturnType<FacilitatorClient["verify"]>>>) {
  const signals: (AbortSignal | undefined)[] = [];
  const client: FacilitatorClient = {
    name: "test",
    signersOn: () => [],
    verify: (_, abandoned) => {
      signals.push(abandoned);
      return verify();
    },
    settle: async () => ({ outcome: "unknown" }),
  };
  return { signals, client };
}

const termsOf = async (changes: Partial<AdmissionTerms>): Promise<AdmissionTerms> => ({
  ...SILENT,
  ...BARE,
  operation: "test",
  offer: OFFER,
  facilitators: [],
  now: () => Date.now(),
  payment: await paymentFrom(),
  ledger: ledgerThatFinds({ status: "free" }),
  ...changes,
});

test("admission aborts the verification and asks no other facilitator if the ledger already knows the payment", async () => {
  let answer = () => {};
  const answered = new Promise<void>((resolve) => (answer = resolve));
  const first = facilitatorThat(async () => {
    await answered;
    return { outcome: "unknown" };
  });
  const second = facilitatorThat(async () => ({ outcome: "valid" }));
  const measured: string[] = [];
  const { verified } = await admit(
    await termsOf({
      ledger: ledgerThatFinds({ status: "in_progress" }),
      facilitators: [first.client, second.client],
      timed: (step, act) => {
        measured.push(step);
        return act();
      },
    }),
  );
  expect(verified).toBeUndefined();
  expect(first.signals.map((signal) => signal?.aborted)).toEqual([true]);
  answer();
  await new Promise((resolve) => setTimeout(resolve)); // lets pending promises settle
  expect([second.signals, measured]).toEqual([[], []]);
});

test("the next facilitator verifies a payment if the first facilitator gives no verdict", async () => {
  const first = facilitatorThat(async () => ({ outcome: "unknown" }));
  const second = facilitatorThat(async () => ({ outcome: "valid" }));
  const { verified } = await admit(await termsOf({ facilitators: [first.client, second.client] }));
  expect(verified).toBe(second.client);
  expect([first.signals.length, second.signals.length]).toEqual([1, 1]);
});

test("a payment is refused with a facilitator's reason if one facilitator rejects it and no other verifies it", async () => {
  const rejecting = facilitatorThat(async () => ({ outcome: "rejected", reason: "schema" }));
  const silent = facilitatorThat(async () => ({ outcome: "unknown" }));
  const verifying = facilitatorThat(async () => ({ outcome: "valid" }));
  const admitted = async (...facilitators: FacilitatorClient[]) => admit(await termsOf({ facilitators }));
  await expect(admitted(rejecting.client)).rejects.toMatchObject({ name: "PaymentRequired", reason: "schema" });
  await expect(admitted(rejecting.client, silent.client)).rejects.toMatchObject({ reason: "schema" });
  expect((await admitted(rejecting.client, verifying.client)).verified).toBe(verifying.client);
});

describe("a settled payment without a proof of its payer", () => {
  const ledger = (ownRequest: string): AdmissionTerms["ledger"] => ({
    getByName: () => ({
      waitForStatus: async (fingerprint) =>
        fingerprint === ownRequest ? { status: "proof_required" } : { status: "spent", boughtOther: true },
      binding: async () => undefined,
    }),
  });
  const admitted = async (smallFingerprint?: () => Promise<string | undefined>) =>
    admit(await termsOf({ ledger: ledger("own"), ...(smallFingerprint && { smallFingerprint }) })).catch(
      (error: unknown) => error,
    );
  const proofRequired = { name: "PaymentError", code: "payment_already_used" };

  test("a settled payment that is sent with another request gets a request for a new payment", async () => {
    const error = await admitted(async () => "another");
    expect(error).toMatchObject({ name: "PaymentRequired", reason: expect.stringMatching(/^payment_already_used: /) });
  });

  test("a repeated settled payment needs a proof of the payer, unless the call is certainly for another request", async () => {
    expect(await admitted(async () => "own")).toMatchObject(proofRequired);
    expect(await admitted(async () => undefined)).toMatchObject(proofRequired);
    expect(await admitted()).toMatchObject(proofRequired);
  });

  test("the body of a call is not read during the settlement of its payment", async () => {
    const terms = await termsOf({
      ledger: ledgerThatFinds({ status: "proof_required" }),
      smallFingerprint: () => Promise.reject(new Error("read")),
    });
    await expect(admit(terms)).rejects.toMatchObject(proofRequired);
  });
});
