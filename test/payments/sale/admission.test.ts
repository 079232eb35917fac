import { expect, test } from "vitest";
import type { FacilitatorClient } from "../../../src/payments/facilitators/facilitator.ts";
import type { PaymentStatus } from "../../../src/payments/ledger/record.ts";
import { type AdmissionTerms, admit } from "../../../src/payments/sale/admission.ts";
import { BARE, OFFER, paymentFrom, SILENT } from "../payments.ts";

/** A ledger that finds this of every payment, some time after it is asked. */
const ledgerThatFinds = (found: PaymentStatus): AdmissionTerms["ledger"] => ({
  getByName: () => ({
    async waitForStatus() {
      await scheduler.wait(20);
      return found;
    },
    binding: async () => undefined,
  }),
});

/** A facilitator that gives no verdict, or one after some time, and the signals that it was asked with. */
function facilitatorThat(verify: () => Promise<Awaited<ReturnType<FacilitatorClient["verify"]>>>) {
  const signals: (AbortSignal | undefined)[] = [];
  const client: FacilitatorClient = {
    name: "test",
    signersOn: () => [],
    verify: (_, unwanted) => {
      signals.push(unwanted);
      return verify();
    },
    settle: async () => ({ outcome: "unknown" }),
  };
  return { signals, client };
}

const termsOf = async (changes: Partial<AdmissionTerms>): Promise<AdmissionTerms> => ({
  ...{ ...SILENT, ...BARE, operation: "test", offer: OFFER, facilitators: [], now: () => Date.now() },
  ...{ payment: await paymentFrom(), ledger: ledgerThatFinds({ status: "free" }), ...changes },
});

test("facilitators asked about a payment that the ledger knows are told that nobody waits, no other is asked, and nothing measured", async () => {
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
  await scheduler.wait(10);
  expect([second.signals, measured]).toEqual([[], []]);
});

test("a new payment is verified while the ledger is asked, and by the next facilitator where one gives no verdict", async () => {
  const first = facilitatorThat(async () => ({ outcome: "unknown" }));
  const second = facilitatorThat(async () => ({ outcome: "valid" }));
  const { verified } = await admit(await termsOf({ facilitators: [first.client, second.client] }));
  expect(verified).toBe(second.client);
  expect([first.signals.length, second.signals.length]).toEqual([1, 1]);
});
