import { expect, test, vi } from "vitest";
import { signPaymentV2 } from "../../scripts/lib/pay.ts";
import { result } from "../../src/service/request/schemas.ts";
import { PRODUCTS } from "../../src/service/sale/products.ts";
import { dataUri, offerOf, TEXT } from "../support/client.ts";
import { connect, MCP, sendMcp } from "../support/mcp.ts";
import { onePage } from "../support/pdf.ts";
import { storedKeys } from "../support/storage.ts";
import { termsV2 } from "../support/x402.ts";

const files = async () => (await storedKeys()).length;

test("the MCP endpoint stops the work for a client that disconnects, and charges nothing", async () => {
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
  // The test polls instead of awaiting the failure. Code after an await would continue in the context of the tool call,
  // whose request is about to end.
  await vi.waitUntil(() => failure, { timeout: 20_000 });
  expect(failure).toMatchObject({ code: "call_cancelled" });
  expect(await files()).toBe(0);

  const payAgain = async () => {
    const again = await client.callTool(call(dataUri("application/pdf", onePage)));
    result.parse(again.structuredContent);
  };
  await vi.waitFor(payAgain, { timeout: 20_000 }); // The endpoint makes the payment usable again shortly after the work stops.
});

test("a tool answers a reused payment with a request for a new payment or, for equal arguments, for the idempotency key", async () => {
  const client = await connect();
  const payment = await signPaymentV2(await offerOf(TEXT));
  const call = (text: string, payment: string) =>
    client.callTool({
      name: "add_text_watermark",
      arguments: { file: dataUri("application/pdf", onePage), text },
      _meta: { "x402/payment": payment },
    });
  result.parse((await call("BOUGHT", payment)).structuredContent);

  const other = await call("OTHER", payment);
  expect(other).toMatchObject({
    isError: true,
    structuredContent: { x402Version: 2, error: expect.stringMatching(/^payment_already_used: /) },
  });
  result.parse((await call("OTHER", await signPaymentV2(await offerOf(TEXT)))).structuredContent);

  const same = await call("BOUGHT", payment);
  expect([same.isError, same.structuredContent]).toEqual([true, undefined]);
  expect(JSON.stringify(same.content)).toContain("Send the Idempotency-Key of the original call");
});

test("a client that supports org.x402/payment gets the result type payment_required for an unpaid call", async () => {
  const envelope = (extensions: object) => ({
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1.0.0" },
    "io.modelcontextprotocol/clientCapabilities": { extensions },
  });
  const ask = async (method: string, params: object, extensions: object = { "org.x402/payment": {} }) => {
    const headers = {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": "2026-07-28",
      "Mcp-Method": method,
      ...("name" in params && { "Mcp-Name": String(params.name) }),
    };
    const message = { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: envelope(extensions) } };
    const response = await sendMcp(MCP, { method: "POST", headers, body: JSON.stringify(message) });
    return JSON.parse(/\{.*\}/.exec(await response.text())![0]).result;
  };
  const tool = { name: "add_text_watermark", arguments: {} };
  const { capabilities } = await ask("server/discover", {});
  expect(capabilities.extensions).toHaveProperty(["org.x402/payment"], {});
  const unpaid = await ask("tools/call", tool);
  expect(unpaid.resultType).toBe("payment_required");
  expect(termsV2.parse(unpaid.paymentRequired).error).toContain("payment required");
  expect(unpaid.paymentRequired.problems).toContainEqual({ path: "file", message: expect.any(String) });
  expect(unpaid).not.toHaveProperty("structuredContent");
  const other = await ask("tools/call", tool, {});
  expect([other.resultType, other.paymentRequired]).toEqual(["complete", undefined]);
  expect(other.structuredContent.accepts).toEqual(unpaid.paymentRequired.accepts);
});
