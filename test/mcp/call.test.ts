import { expect, test, vi } from "vitest";
import { signPaymentV2 } from "../../scripts/lib/pay.ts";
import { PRODUCTS } from "../../src/service/products.ts";
import { result } from "../../src/service/schemas.ts";
import { dataUri, offerOf, TEXT } from "../support/client.ts";
import { connect } from "../support/mcp.ts";
import { onePage } from "../support/pdf.ts";
import { storedKeys } from "../support/storage.ts";

const files = async () => (await storedKeys()).length;

test("a call whose client has gone stops, and is not charged", async () => {
  const payment = await signPaymentV2(await offerOf(TEXT));
  const call = (file: string) => ({
    name: "add_text_watermark",
    arguments: { file, text: "A" },
    _meta: { "x402/payment": payment },
  });
  const client = await connect();
  const { accept } = PRODUCTS[0]!;
  let work: Promise<unknown> | undefined;
  vi.spyOn(PRODUCTS[0]!, "accept").mockImplementationOnce((...request) => {
    const accepted = accept(...request);
    return {
      ...accepted,
      run(context) {
        const running = accepted.run(context);
        work = running;
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
  await expect(work).rejects.toMatchObject({ code: "call_cancelled" });
  expect(await files()).toBe(0);

  const again = await client.callTool(call(dataUri("application/pdf", onePage)));
  result.parse(again.structuredContent);
});
