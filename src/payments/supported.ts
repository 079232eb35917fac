import * as z from "zod";
import type { Network } from "./networks.ts";

/** The answer of a facilitator to `GET /supported`; there is more in it. */
const supportedAnswer = z.object({
  kinds: z.array(z.object({ x402Version: z.number(), scheme: z.string(), network: z.string() })),
});

/** What a facilitator says that it settles: `<version of x402> <network>`, of the scheme "exact". */
export type Supported = ReadonlySet<string>;

/**
 * Reads what a facilitator says that it settles (x402 v2, "GET /supported").
 * @throws Error if it cannot be read
 */
export function readSupported(answer: unknown): Supported {
  const { kinds } = supportedAnswer.parse(answer);
  return new Set(
    kinds.flatMap(({ x402Version, scheme, network }) => (scheme === "exact" ? [`${x402Version} ${network}`] : [])),
  );
}

/**
 * Returns whether a facilitator settles payments on a network in a version of x402.
 * @param supported undefined if it has not said what it settles: then it is taken to settle everything
 */
export function settles(supported: Supported | undefined, { name, caip2 }: Network, version: 1 | 2): boolean {
  if (!supported) return true;
  if (version === 1) return supported.has(`1 ${name}`);
  return supported.has(`2 ${caip2}`) || supported.has("2 eip155:*");
}
