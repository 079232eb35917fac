import type { Print } from "./report.ts";
import type { Wrangler } from "./wrangler.ts";

/** What a deployment is made of. */
export interface Deployment {
  /** The file of settings; there need not be one. */
  settingsFile: string;
  env: NodeJS.ProcessEnv;
  /** Makes the runner of wrangler, given variables for it. */
  wrangler: (env: Record<string, string>) => Wrangler;
  /** What wrangler asks of Node: `>=22.0.0`. */
  engine: string;
  bucket: string;
  /** The account of wrangler.toml, if it names one. */
  account?: string | undefined;
  /** The private key of a wallet with test money, to buy with. */
  key?: string | undefined;
  /** Whether nothing is to be changed, and nothing asked of Cloudflare. */
  isDry: boolean;
  print: Print;
  /** How long a new deployment may take to be healthy, and how often it is asked. */
  patienceMs: number;
  pauseMs: number;
}
