import { describeError } from "../../src/shared/log.ts";

/** Something that keeps a deployment from going on, in one line, and what to do next in another sentence. */
export class Failure extends Error {
  readonly next: string;

  constructor(what: string, next: string) {
    super(what);
    this.next = next;
  }
}

/** What Cloudflare refuses, by its error's code, and what one does about it. */
const REMEDIES: readonly [RegExp, string][] = [
  [
    /code: 100328/,
    "The account has the Workers Free plan, whose 10 ms of CPU a call are less than a mark takes. Change to Workers Paid: https://dash.cloudflare.com/?to=/:account/workers/plans",
  ],
  [/code: 10042/, "Enable R2 for the account, once: https://dash.cloudflare.com/?to=/:account/r2/overview"],
  [
    /workers\.dev subdomain/,
    "Choose a workers.dev subdomain once, at the address above, or set a route in wrangler.toml",
  ],
  [
    /code: 10053/,
    "It is a plain variable at Cloudflare. Delete it there (Worker, Settings, Variables), so that it can be a secret",
  ],
  [
    /code: (10000|9109|1000[13])\b|Authentication error/,
    "The login or the token is not good for this: `npx wrangler login`, or a CLOUDFLARE_API_TOKEN that may edit Workers Scripts and R2 Storage",
  ],
  [/fetch failed/, "Cloudflare cannot be reached from here: check the network, a proxy or a firewall"],
];

/** Makes a failure of what wrangler said, with what to do about it where that is known. */
export function refusedBy(command: string, reason: string): Failure {
  const [, next = `\`${command}\` by itself may say more`] = REMEDIES.find(([said]) => said.test(reason)) ?? [];
  return new Failure(reason, next);
}

/** For what is thrown where no failure was foreseen. */
export function unforeseen(error: unknown): Failure {
  if (error instanceof Failure) return error;
  return new Failure(inOneLine(describeError(error)), "This was not foreseen: please report it");
}

/** An error without its stack, with its cause. */
export function inOneLine(error: string): string {
  return error
    .split("\n")
    .filter((line) => !/^\s+at /.test(line))
    .join(", ");
}
