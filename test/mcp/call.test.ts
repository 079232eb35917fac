import { expect, test, vi } from "vitest";
import { signPaymentV2 } from "../../scripts/lib/pay.ts";
import { result } from "../../src/service/request/schemas.ts";
import { PRODUCTS } from "../../src/service/sale/products.ts";
import { dataUri, offerOf, TEXT } from "../support/client.ts";
import { connect } from "../support/mcp.ts";
import { onePage } from "../support/pdf.ts";
import { storedKeys } from "../support/storage.ts";

const files = async () => (await storedKeys()).length;

test("the MCP endpoint stops the work for a client that disconnects, and does not charge the client", async () => {
  const payment = await signPaymentV2(await offerOf(TEXT));
  const call = (file: string) => ({
    name: "add_text_watermark",
    arguments: { file, text: "A" },
    _meta: { "x402/payment": payment },
  });
  const client = await connect();
  const { accept } = PRODUCTS[0]!;
  let failure: unknown;
  vi.spyOn(PRODUCTS[0]!, "accept").mockImplementationOnce((...request) => {
    const accepted = accept(...request);
    return {
      ...accepted,
      run(context) {
        const running = accepted.run(context);
        running.catch((error: unknown) => {
          failure = error;
        });
        return running;
      },
    };
  });
  const abort = new AbortController();
  const pending = client.callTool(call("https://files.example.com/slow.pdf"), {
    signal: abort.signal,
    onprogress: () => abort.abort(),
  });
  await expect(pending).rejects.toThrow();
  // This polls instead of awaiting the failure. The continuation of another request's promise would run in that
  // request, which is about to end.
  await vi.waitUntil(() => failure, { timeout: 20_000 });
  expect(failure).toMatchObject({ code: "call_cancelled" });
  expect(await files()).toBe(0);

  const payAgain = async () => {
    const again = await client.callTool(call(dataUri("application/pdf", onePage)));
    result.parse(again.structuredContent);
  };
  await vi.waitFor(payAgain, { timeout: 20_000 }); // the endpoint releases the payment shortly after the work stops
});

test("a tool asks for a new payment if a settled payment is sent with other arguments, and not with the same arguments", async () => {
  const client = await connect();
  const payment = await signPaymentV2(await offerOf(TEXT));
  const call = (text: string, payment: string) =>
    client.callTool({
      name: "add_text_watermark",
      arguments: { file: dataUri("application/pdf", onePage), text },
      _meta: { "x402/payment": payment },
    });
  result.parse((await call("A", payment)).structuredContent);

  const other = await call("B", payment);
  expect(other).toMatchObject({
    isError: true,
    structuredContent: { x402Version: 2, error: expect.stringMatching(/^payment_already_used: /) },
  });
  result.parse((await call("B", await signPaymentV2(await offerOf(TEXT)))).structuredContent);

  const same = await call("A", payment);
  expect([same.isError, same.structuredContent]).toEqual([true, undefined]);
  expect(JSON.stringify(same.content)).toContain("Send the Idempotency-Key of the original call");
});
