import { afterAll, beforeAll, expect, test } from "vitest";
import { paymentFor } from "../../scripts/lib/pay.ts";
import { type RunningWorker, startWorker } from "../../scripts/lib/worker.ts";

let worker: RunningWorker;
beforeAll(async () => {
  worker = await startWorker();
});
afterAll(() => worker?.stop());

/** A payment with a signature that no key has made. */
async function forgedPayment(): Promise<string> {
  const payment = JSON.parse(atob(await paymentFor(`${worker.url}/v1/watermark/text`)));
  payment.payload.signature = `0x${"f0".repeat(65)}`;
  return btoa(JSON.stringify(payment));
}

test.each([1, 20, 95])(
  "a client that sends a body of %i MB with a forged payment reads why it is refused",
  async (megabytes) => {
    for (let times = 0; times < 5; times++) {
      const form = new FormData();
      form.set("file", new File([new Uint8Array(megabytes * 1e6)], "a.pdf"));
      form.set("text", "A");
      const headers = { "X-PAYMENT": await forgedPayment() };
      const response = await fetch(`${worker.url}/v1/watermark/text`, { method: "POST", headers, body: form });
      expect([response.status, await response.json()]).toMatchObject([
        402,
        { error: expect.stringContaining("invalid_exact_evm_payload_signature") },
      ]);
    }
  },
);
