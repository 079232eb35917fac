import { Problem } from "../problems.ts";
import { checkAddress } from "./address.ts";

export const MAX_REDIRECTS = 3;

/** How much is fetched and how long it may take, redirects and body included. */
export interface FetchLimits {
  maxBytes: number;
  timeoutMs: number;
}

/**
 * Fetches what a caller named. Every redirect is checked like the first address; the bytes are counted as they come,
 * since Content-Length may lie. What the far side said, beyond its status, is never repeated.
 * @throws Problem source_not_allowed, source_unreachable, source_timeout, source_too_large
 */
export async function fetchBytes(address: string, limits: FetchLimits): Promise<Uint8Array> {
  const signal = AbortSignal.timeout(limits.timeoutMs);
  try {
    const response = await follow(address, signal);
    if (!response.ok) {
      await response.body?.cancel();
      throw new Problem(
        "source_unreachable",
        `The URL answered ${response.status}. Check that it can be downloaded without signing in.`,
      );
    }
    return await collect(response, limits.maxBytes);
  } catch (error) {
    if (error instanceof Problem) throw error;
    if (signal.aborted)
      throw new Problem("source_timeout", `The URL did not deliver within ${limits.timeoutMs / 1000} s.`, {
        cause: error,
      });
    throw new Problem(
      "source_unreachable",
      "The URL could not be fetched. Check its spelling and that its server is up.",
      { cause: error },
    );
  }
}

async function follow(address: string, signal: AbortSignal): Promise<Response> {
  let url = parse(address);
  for (let hop = 0; ; hop++) {
    checkAddress(url);
    const response = await fetch(url, {
      redirect: "manual",
      signal,
      headers: { Accept: "*/*", "User-Agent": "Overprint" },
    });
    const location = response.headers.get("Location");
    if (![301, 302, 303, 307, 308].includes(response.status) || location === null) return response;

    await response.body?.cancel();
    if (hop === MAX_REDIRECTS)
      throw new Problem("source_unreachable", `The URL redirects more than ${MAX_REDIRECTS} times.`);
    url = parse(location, url);
  }
}

function parse(address: string, base?: URL): URL {
  const url = URL.parse(address, base?.href);
  if (!url) throw new Problem("source_not_allowed", "The URL is not one that can be read. Check its spelling.");
  return url;
}

async function collect(response: Response, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }

  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/** The refusal of a file over its limit. */
export function tooLarge(maxBytes: number): Problem {
  return new Problem("source_too_large", `The file is larger than ${maxBytes} bytes, the most this service takes.`);
}
