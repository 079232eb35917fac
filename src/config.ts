import { z } from "zod";
import { NETWORKS, type NetworkName } from "./payments/networks.ts";

const evmAddress = z.string().regex(/^0x[0-9a-fA-F]{40}$/, "must be 0x and 40 hexadecimal digits");
const networkNames = Object.keys(NETWORKS) as [NetworkName, ...NetworkName[]];
const count = (fallback: number, max: number) => z.coerce.number().int().min(1).max(max).default(fallback);

/** Receives nothing: the second of the well-known development keys, offered only by the local facilitator. */
const DEVELOPMENT_PAY_TO = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

const settings = z.object({
  /** Who is paid. Required as soon as FACILITATOR_URL is set. */
  PAY_TO: evmAddress.optional(),
  /** The chain payments are made on. */
  NETWORK: z.enum(networkNames).default("base-sepolia"),
  /** The x402 facilitator that verifies and settles. Without it payments are checked locally, for development on loopback only. */
  FACILITATOR_URL: z.url({ protocol: /^https?$/ }).optional(),
  /** How long one call of the facilitator may take. */
  FACILITATOR_TIMEOUT_SECONDS: count(20, 120),

  /** How long a result can be downloaded. */
  LINK_TTL_SECONDS: count(24 * 3600, 30 * 24 * 3600),

  MAX_BODY_BYTES: count(48_000_000, 100_000_000),
  MAX_SOURCE_BYTES: count(32_000_000, 100_000_000),
  MAX_IMAGE_BYTES: count(10_000_000, 100_000_000),
  MAX_IMAGE_PIXELS: count(40_000_000, 400_000_000),
  MAX_PAGES: count(50_000, 1_000_000),
  /** Deadline for fetching one URL, redirects and body included. */
  FETCH_TIMEOUT_SECONDS: count(20, 120),
});

/** The Worker's settings, checked: every limit and default of the service. */
export interface Config {
  network: NetworkName;
  payTo: string;
  facilitator: { kind: "local" } | { kind: "remote"; url: string; timeoutMs: number };
  linkTtlSeconds: number;
  maxBodyBytes: number;
  maxSourceBytes: number;
  maxImageBytes: number;
  maxImagePixels: number;
  maxPages: number;
  fetchTimeoutMs: number;
}

/**
 * Reads the settings out of the Worker's environment. An empty string counts as not set.
 * @throws Error naming every wrong setting; it is for the operator's log, never for a caller.
 */
export function readConfig(env: object): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ""));
  const parsed = settings.safeParse(given);
  if (!parsed.success) throw new Error(`The Worker's settings are wrong:\n${z.prettifyError(parsed.error)}`);

  const { PAY_TO, FACILITATOR_URL, ...rest } = parsed.data;
  if (FACILITATOR_URL && (!PAY_TO || PAY_TO.toLowerCase() === DEVELOPMENT_PAY_TO.toLowerCase()))
    throw new Error("The Worker's settings are wrong: FACILITATOR_URL is set, so PAY_TO must be an address of yours");

  return {
    network: rest.NETWORK,
    payTo: PAY_TO ?? DEVELOPMENT_PAY_TO,
    facilitator: FACILITATOR_URL
      ? { kind: "remote", url: FACILITATOR_URL, timeoutMs: rest.FACILITATOR_TIMEOUT_SECONDS * 1000 }
      : { kind: "local" },
    linkTtlSeconds: rest.LINK_TTL_SECONDS,
    maxBodyBytes: rest.MAX_BODY_BYTES,
    maxSourceBytes: rest.MAX_SOURCE_BYTES,
    maxImageBytes: rest.MAX_IMAGE_BYTES,
    maxImagePixels: rest.MAX_IMAGE_PIXELS,
    maxPages: rest.MAX_PAGES,
    fetchTimeoutMs: rest.FETCH_TIMEOUT_SECONDS * 1000,
  };
}

const checked = new WeakMap<object, Config>();

/** The settings of this environment, checked the first time they are asked for. @throws as {@link readConfig} */
export function configOf(env: object): Config {
  const known = checked.get(env);
  if (known) return known;
  const config = readConfig(env);
  checked.set(env, config);
  return config;
}
