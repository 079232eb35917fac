/**
 * Reads terms and payments of x402. The entry of the package does not export these types, because they need the types of
 * Node.js.
 */
import { x402Client, x402HTTPClient } from "@x402/fetch";
import { OverprintError } from "./errors.ts";
import { jsonIn } from "./http.ts";

/** The terms in a 402 answer (x402, "PaymentRequired"). */
export type Terms = ReturnType<x402HTTPClient["getPaymentRequiredResponse"]>;
/** A signed payment. */
export type Payload = Awaited<ReturnType<x402Client["createPaymentPayload"]>>;

/**
 * Reads the payment terms in a 402 answer.
 * @param version version of x402. Version 1 has the terms in the body only
 * @throws OverprintError `not_x402`
 */
export async function termsIn(answer: Response, version: 1 | 2 = 2): Promise<Terms> {
  const body = await jsonIn(answer);
  const header = (name: string) => (version === 1 ? null : answer.headers.get(name));
  try {
    const terms = new x402HTTPClient(new x402Client()).getPaymentRequiredResponse(header, body);
    if (Array.isArray(terms.accepts)) return terms;
  } catch {
    // the terms are neither JSON nor base64
  }
  throw new OverprintError("not_x402", `The payment terms of ${answer.url} are not valid x402.`);
}

/**
 * Returns when an authorization expires (EIP-3009, `validBefore`), in Unix seconds. A voucher of a channel does not
 * expire.
 */
export function expiryOf({ payload }: Pick<Payload, "payload">): number | undefined {
  const { authorization } = payload as { authorization?: { validBefore?: string } };
  return authorization && Number(authorization.validBefore);
}
