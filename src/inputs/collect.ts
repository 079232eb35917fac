import { type FetchRules, openAddress, transferProblem } from "./fetch.ts";
import { tooLarge } from "./size.ts";

/**
 * The bytes of what a caller named, in memory. They are counted as they come, since Content-Length may lie.
 * @throws Problem source_not_allowed, source_unreachable, source_timeout, source_too_large
 */
export async function fetchBytes(address: string, rules: FetchRules): Promise<Uint8Array> {
  const { response, signal } = await openAddress(address, rules);
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of response.body ?? []) {
      length += chunk.length;
      if (length > rules.maxBytes) throw tooLarge(rules.maxBytes);
      chunks.push(chunk);
    }
  } catch (error) {
    throw transferProblem(error, signal, rules);
  }

  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
