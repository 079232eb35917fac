import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { signPayment } from "../../scripts/lib/pay.ts";
import { readConfig } from "../../src/config.ts";
import { sell } from "../../src/payments/gate.ts";
import { remoteFacilitator } from "../../src/payments/remoteFacilitator.ts";
import { PaymentRequired, readPayment, requirementFor } from "../../src/payments/x402.ts";
import { Problem } from "../../src/problems.ts";

const config = readConfig({
  PAY_TO: "0x00000000000000000000000000000000000000aa",
  FACILITATOR_URL: "https://facilitator.example.com",
});
const requirement = requirementFor(
  { url: "https://overprint.example.com/v1/watermark/text", description: "", outputSchema: {} },
  config,
);
const signed = async () =>
  readPayment(await signPayment(requirement as never), requirement, Math.floor(Date.now() / 1000));

/** Sells one piece of work through the facilitator that behaves as named, and tells what happened. */
async function sale(behaviour: string, payment: Awaited<ReturnType<typeof signed>>, work?: () => never) {
  const seen = { worked: 0, discarded: 0 };
  const facilitator = remoteFacilitator({ url: `https://facilitator.example.com/${behaviour}`, timeoutMs: 500 });
  const outcome = await sell({
    payment,
    requirement,
    facilitator,
    ledger: env.LEDGER,
    work: async () => {
      seen.worked++;
      work?.();
      return { value: "goods", discard: async () => void seen.discarded++ };
    },
  }).catch((error: unknown) => error);
  return { outcome, ...seen };
}

const reason = (outcome: unknown) =>
  outcome instanceof PaymentRequired ? outcome.body.error : outcome instanceof Problem ? outcome.code : outcome;

describe("what a remote facilitator says decides", () => {
  test("verified and settled: the goods and the receipt", async () => {
    const { outcome, worked, discarded } = await sale("good", await signed());
    expect(outcome).toEqual({
      value: "goods",
      receipt: {
        success: true,
        transaction: `0x${"ab".repeat(32)}`,
        network: "base-sepolia",
        payer: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
      },
    });
    expect({ worked, discarded }).toEqual({ worked: 1, discarded: 0 });
  });

  test.each([
    ["refuses-verify", "insufficient_funds", 0, 0],
    ["refuses-verify-400", "invalid_payload", 0, 0],
    ["down", "facilitator_unavailable", 0, 0],
    ["garbage", "facilitator_unavailable", 0, 0],
    ["silent", "facilitator_unavailable", 0, 0],
    ["refuses-settle", "invalid_transaction_state", 1, 1],
    ["down-at-settle", "facilitator_unavailable", 1, 1],
  ])("%s: %s, and the payment stays usable", async (behaviour, expected, worked, discarded) => {
    const payment = await signed();
    const failed = await sale(behaviour, payment);
    expect(reason(failed.outcome)).toBe(expected);
    expect({ worked: failed.worked, discarded: failed.discarded }).toEqual({ worked, discarded });
    expect((await sale("good", payment)).outcome).toMatchObject({ value: "goods" });
  });

  test("work that fails is not settled, and the payment stays usable", async () => {
    const payment = await signed();
    const failed = await sale("good", payment, () => {
      throw new Problem("damaged_pdf", "…");
    });
    expect(reason(failed.outcome)).toBe("damaged_pdf");
    expect((await sale("good", payment)).outcome).toMatchObject({ value: "goods" });
  });

  test("a settled payment buys nothing more", async () => {
    const payment = await signed();
    await sale("good", payment);
    const second = await sale("good", payment);
    expect(reason(second.outcome)).toBe("payment_already_used");
    expect(second.worked).toBe(0);
  });
});
