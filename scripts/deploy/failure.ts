import { describeError } from "../../src/shared/log.ts";

/** A problem that stops a deployment. The message states the problem in one line, and `next` states the next step. */
export class Failure extends Error {
  readonly next: string;

  constructor(what: string, next: string) {
    super(what);
    this.next = next;
  }
}

/** Remedies for Cloudflare's refusals, by error code. */
const REMEDIES: readonly [RegExp, string][] = [
  [
    /code: 100328/,
    "The account has the Workers Free plan. Its limit of 10 ms of CPU per call is too low for a mark. Change to Workers Paid: https://dash.cloudflare.com/?to=/:account/workers/plans",
  ],
  [/code: 10042/, "Enable R2 once for the account: https://dash.cloudflare.com/?to=/:account/r2/overview"],
  [
    /workers\.dev subdomain/,
    "Choose a workers.dev subdomain once at the address above, or set a route in wrangler.toml",
  ],
  [
    /code: 10053/,
    "It is a plain variable at Cloudflare. Delete it there (Worker, Settings, Variables), so that it can become a secret",
  ],
  [
    /code: (10000|9109|1000[13])\b|Authentication error/,
    "The login or the token lacks a permission. Run `npx wrangler login`, or set CLOUDFLARE_API_TOKEN to a token that may edit Workers Scripts and R2 Storage",
  ],
  [/fetch failed/, "Cloudflare cannot be reached. Check the network, the proxy and the firewall"],
];

/** Creates a failure from wrangler's error, with the remedy if it is known. */
export function refusedBy(command: string, reason: string): Failure {
  const [, next = `Run \`${command}\` alone for more details`] = REMEDIES.find(([said]) => said.test(reason)) ?? [];
  return new Failure(reason, next);
}

/** Returns a failure for an unexpected exception. */
export function unforeseen(error: unknown): Failure {
  if (error instanceof Failure) return error;
  return new Failure(inOneLine(describeError(error)), "This is unexpected. Please report it");
}

/** Returns the message of an error in one line, with its cause and without its stack. */
export function inOneLine(error: string): string {
  return error
    .split("\n")
    .filter((line) => !/^\s+at /.test(line))
    .join(", ");
}
