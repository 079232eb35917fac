import { Problem } from "../problems.ts";
import { checkAddress } from "./address.ts";

const MAX_REDIRECTS = 3;

/** How much is fetched and how long it may take, redirects and body included. */
export interface FetchRules {
  maxBytes: number;
  timeoutMs: number;
}

/** An answer whose body has yet to be read, before the deadline that aborts its signal. */
export interface Opened {
  response: Response;
  signal: AbortSignal;
}

/**
 * Asks for what a caller named and gives the answer with its body still unread: what fails while reading it is made a
 * Problem by {@link transferProblem}. Every redirect is checked like the first address. What the far side said, beyond
 * its status, is never repeated.
 * @throws Problem source_not_allowed, source_unreachable, source_timeout
 */
export async function openAddress(address: string, rules: FetchRules): Promise<Opened> {
  const signal = AbortSignal.timeout(rules.timeoutMs);
  try {
    const response = await follow(address, signal);
    if (response.ok) return { response, signal };
    await response.body?.cancel();
    throw new Problem(
      "source_unreachable",
      `The URL answered ${response.status}. Check that it can be downloaded without signing in.`,
    );
  } catch (error) {
    throw transferProblem(error, signal, rules);
  }
}

/** What a transfer that broke off means to the caller; a Problem stays what it is. */
export function transferProblem(error: unknown, signal: AbortSignal, { timeoutMs }: FetchRules): Problem {
  if (error instanceof Problem) return error;
  if (signal.aborted)
    return new Problem("source_timeout", `The URL did not deliver within ${timeoutMs / 1000} s.`, { cause: error });
  return new Problem(
    "source_unreachable",
    "The URL could not be fetched. Check its spelling and that its server is up.",
    { cause: error },
  );
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
