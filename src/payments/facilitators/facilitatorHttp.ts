import { type CdpKey, cdpToken } from "./cdpToken.ts";
import { readSupported, type Supported } from "./supported.ts";

/** The settings of a facilitator that is reached over HTTP, and the payments that it supports. */
export interface RemoteFacilitator {
  url: string;
  timeoutMs: number;
  /** Authentication: a fixed `Authorization` header, or a key that signs a token for each call. */
  auth?: { header: string } | { cdp: CdpKey };
  /** The facilitator's answer to `GET /supported`, if known. */
  supported?: Supported | undefined;
}

const MAX_ANSWER_BYTES = 65_536;
/**
 * Timeout of `GET /supported` in milliseconds. A facilitator that takes longer is treated as if it had not answered.
 */
const SUPPORTED_TIMEOUT_MS = 3000;

/**
 * Returns the kinds of payments that a facilitator settles, from its answer to `GET /supported` (x402 v2).
 * @throws Error if the answer is missing or malformed
 */
export async function askSupported({ url, timeoutMs, auth }: RemoteFacilitator): Promise<Supported> {
  const endpoint = new URL(`${url.replace(/\/+$/, "")}/supported`);
  const response = await fetch(endpoint, {
    headers: await authorization(endpoint, auth, "GET"),
    redirect: "manual",
    signal: AbortSignal.timeout(Math.min(timeoutMs, SUPPORTED_TIMEOUT_MS)),
  });
  const answer = await boundedText(response);
  if (response.status !== 200) throw new Error(`it answered ${response.status}`);
  return readSupported(JSON.parse(answer));
}

/**
 * Returns the header that authenticates one call to a facilitator. Returns no header if authentication is not
 * configured.
 */
export async function authorization(
  endpoint: URL,
  auth: RemoteFacilitator["auth"],
  method = "POST",
): Promise<Record<string, string>> {
  if (!auth) return {};
  if ("header" in auth) return { Authorization: auth.header };
  return { Authorization: `Bearer ${await cdpToken(auth.cdp, method, endpoint, Math.floor(Date.now() / 1000))}` };
}

/**
 * Returns a facilitator's answer as text.
 * @throws Error if the answer exceeds {@link MAX_ANSWER_BYTES}
 */
export async function boundedText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let [text, length] = ["", 0];
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > MAX_ANSWER_BYTES) throw new Error(`answered more than ${MAX_ANSWER_BYTES} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text;
}
