import { type CdpKey, cdpToken } from "./cdpToken.ts";
import { readSupported, type Supported } from "./supported.ts";

/** A facilitator reached over HTTP, and how to call it. */
export interface RemoteFacilitator {
  url: string;
  timeoutMs: number;
  /** How to authenticate: with a fixed `Authorization` header, or with a token signed for each call. */
  auth?: { header: string } | { cdp: CdpKey };
  /** What it has said of itself. */
  supported?: Supported | undefined;
}

const MAX_ANSWER_BYTES = 65_536;
/** A facilitator that takes longer to say what it settles is taken for one that does not say. */
const SUPPORTED_TIMEOUT_MS = 3000;

/**
 * Asks a facilitator what it settles.
 * @throws Error if it gives no answer that can be read
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

/** Returns the header that authenticates one call of a facilitator, if it takes one. */
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
 * Reads a facilitator's answer as text.
 * @throws Error if it is longer than any verdict
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
