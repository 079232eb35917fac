import { exports } from "cloudflare:workers";
import { type Offer, signPayment } from "../../scripts/lib/pay.ts";

export const ORIGIN = "http://localhost";
export const TEXT = "/v1/watermark/text";
export const IMAGE = "/v1/watermark/image";

/** Sends a request to the Worker under test. */
export function send(path: string, init?: RequestInit): Promise<Response> {
  return exports.default.fetch(new Request(new URL(path, ORIGIN), init));
}

/** Requests the Worker's payment terms for a call. */
export async function offerOf(path: string): Promise<Offer> {
  const response = await send(path, { method: "POST" });
  const { accepts } = await response.json<{ accepts: Offer[] }>();
  return accepts[0]!;
}

/**
 * Calls an endpoint with a payment, by default one that is signed for this call. Sends the idempotency key `key`, if
 * any.
 */
export async function callPaid(
  path: string,
  body: FormData | object,
  payment?: string,
  key?: string,
): Promise<Response> {
  const form = body instanceof FormData;
  return send(path, {
    method: "POST",
    headers: {
      "X-PAYMENT": payment ?? (await signPayment(await offerOf(path))),
      ...(key !== undefined && { "Idempotency-Key": key }),
      ...(!form && { "Content-Type": "application/json" }),
    },
    body: form ? body : JSON.stringify(body),
  });
}

/** Encodes fields as `multipart/form-data`. */
export function formOf(fields: Record<string, string | Blob>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
}

/** Encodes bytes as a base64 data URI. */
export function dataUri(type: string, bytes: Uint8Array): string {
  return `data:${type};base64,${bytes.toBase64()}`;
}
