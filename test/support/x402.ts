import { z } from "zod";

/** Networks that the client x402-fetch 1.2.0 supports. The client rejects an offer that contains any other network. */
export const V1_NETWORKS = [
  "abstract",
  "abstract-testnet",
  "avalanche",
  "avalanche-fuji",
  "base",
  "base-sepolia",
  "educhain",
  "iotex",
  "peaq",
  "polygon",
  "polygon-amoy",
  "sei",
  "sei-testnet",
  "skale-base-sepolia",
  "solana",
  "solana-devnet",
  "story",
];

/** Matches an address on an EVM chain or on Solana. */
const address = z.string().regex(/^(0x[0-9a-fA-F]{40}|[1-9A-HJ-NP-Za-km-z]{32,44})$/);

/**
 * An offer that the official client of x402 version 1 accepts. The client requires exactly these fields and pays for no
 * other offer.
 */
const strictOffer = z.strictObject({
  scheme: z.literal("exact"),
  network: z.enum(V1_NETWORKS),
  maxAmountRequired: z.string().regex(/^\d+$/),
  resource: z.url(),
  description: z.string(),
  mimeType: z.string(),
  outputSchema: z.record(z.string(), z.unknown()),
  payTo: address,
  maxTimeoutSeconds: z.int(),
  asset: address,
  extra: z.record(z.string(), z.unknown()),
});

/** Problems of an unpaid request, which the service adds for callers and which official clients ignore. */
const problems = z
  .array(z.strictObject({ path: z.string(), message: z.string() }))
  .min(1)
  .max(10)
  .optional();

/** The body of a 402 answer in x402 version 1, as the official client parses it. */
export const strict402 = z.strictObject({
  x402Version: z.literal(1),
  error: z.string(),
  accepts: z.array(strictOffer).min(1),
  problems,
  unchecked: z.string().optional(),
});

/** The payment terms of x402 version 2, in a 402 answer or a tool result, with exactly these fields. */
export const termsV2 = z.strictObject({
  x402Version: z.literal(2),
  error: z.string(),
  resource: z.strictObject({
    url: z.url(),
    description: z
      .string()
      .regex(/watermark/i)
      .max(450),
    mimeType: z.string(),
    serviceName: z.string().regex(/^[ -~]{1,32}$/),
    tags: z.array(z.string().regex(/^[ -~]{1,32}$/)).max(5),
    iconUrl: z.url().max(2048),
  }),
  accepts: z.array(z.record(z.string(), z.unknown())).min(1),
  extensions: z.strictObject({
    bazaar: z.strictObject({ info: z.record(z.string(), z.unknown()), schema: z.record(z.string(), z.unknown()) }),
    "payment-identifier": z.record(z.string(), z.unknown()),
  }),
  problems,
});
/** Decodes a header that contains JSON in base64. */
export const decodeHeader = (header: string): unknown =>
  JSON.parse(new TextDecoder().decode(Uint8Array.fromBase64(header)));
