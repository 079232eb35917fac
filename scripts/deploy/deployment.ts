import type { Print } from "./report.ts";
import type { Wrangler } from "./wrangler.ts";

/** The inputs of a deployment. */
export interface Deployment {
  /** Path of the settings file, which may be missing. */
  settingsFile: string;
  env: NodeJS.ProcessEnv;
  /** Creates a runner of wrangler with the given environment variables. */
  wrangler: (env: Record<string, string>) => Wrangler;
  /** Node.js versions that wrangler supports, as in its package.json: `>=22.0.0`. */
  engine: string;
  bucket: string;
  /** The account id in wrangler.toml, if present. */
  account?: string | undefined;
  /** Private key of a wallet with test money, for the test sale. */
  key?: string | undefined;
  /** Whether this is a dry run, which changes nothing and does not call Cloudflare. */
  isDry: boolean;
  print: Print;
  /** Maximum wait for a new deployment to become healthy, and the pause between two requests, in milliseconds. */
  patienceMs: number;
  pauseMs: number;
}
