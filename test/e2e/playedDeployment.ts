/** Plays deployments whose answers are malicious or broken, for the tests of clients. */
import { createServer, type RequestListener, type Server } from "node:http";
import { decodePaymentRequiredHeader, encodePaymentRequiredHeader } from "@x402/core/http";
import { beforeEach } from "vitest";

/**
 * Returns a function that starts a server and returns the server's address. The server plays a deployment and stops
 * after the test. Call this function within `describe`.
 */
export function playedDeployments(): (listener: RequestListener) => Promise<string> {
  let server: Server | undefined;
  beforeEach(() => () => {
    server?.closeAllConnections();
    server?.close();
  });
  return async (listener) => {
    const started = createServer(listener);
    server = started;
    await new Promise<void>((resolve) => started.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(started.address() as { port: number }).port}`;
  };
}

/** Returns the payment terms of the Worker at an address, with the same change in every payment option. */
export async function changedTerms(worker: string, change: object): Promise<Record<string, string>> {
  const answer = await fetch(`${worker}/v1/watermark/text`, { method: "POST" });
  const terms = decodePaymentRequiredHeader(answer.headers.get("PAYMENT-REQUIRED")!);
  const accepts = terms.accepts.map((way) => ({ ...way, ...change }));
  return { "PAYMENT-REQUIRED": encodePaymentRequiredHeader({ ...terms, accepts }) };
}
