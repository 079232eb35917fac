import { isBlockedHost } from "../shared/net/blockList.ts";
import { Problem, throwIfCanceled } from "../shared/problems.ts";
import { brokenAddressRule, namesThisMachine } from "./address.ts";
import { brokenDnsRule } from "./dns.ts";
import { UPLOAD_FIRST } from "./upload.ts";

/** Maximum number of redirects followed from one URL. */
export const MAX_REDIRECTS = 3;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Maximum length of a URL. RFC 9110, 4.1 recommends that all implementations support at least this length. */
const MAX_URL_LENGTH = 8000;
/**
 * The content encodings that the runtime decodes. The runtime does not decode any other encoding, so responses with
 * another encoding are rejected.
 */
const DECODED = new Set(["gzip", "br"]);
const PLAIN = new Set(["", "identity"]);

/** Rules for fetching a caller's URL. */
export interface FetchRules {
  /** Time limit for one URL, including redirects and the body, in milliseconds. */
  timeoutMs: number;
  /** Whether URLs may name this machine's loopback, on any port. For development only. */
  allowLoopback: boolean;
  /** Hosts that the operator has blocked, with their subdomains. */
  blockedHosts?: readonly string[];
  /**
   * URL of a DNS-over-HTTPS resolver that checks whether a host is public. For runtimes that connect to private
   * addresses.
   */
  dnsCheckUrl?: string | undefined;
  /** Signal that is aborted when the caller cancels the call. */
  signal?: AbortSignal | undefined;
}

/** A response with an unread body. */
interface Opened {
  response: Response;
  /** Signal that aborts reading the body, at the deadline or when the caller cancels. */
  signal: AbortSignal;
  /** Whether the body has a Content-Encoding. The decoded body may then be far larger than Content-Length. */
  isEncoded: boolean;
}

/**
 * Requests a caller's URL and returns the response with an unread body. Pass errors of reading that body to {@link
 * transferProblem}. Checks every redirect like the first URL. An error message reveals nothing of the remote server's
 * response except its status.
 * @throws Problem source_not_allowed, source_unreachable, source_timeout, call_cancelled
 */
export async function openAddress(address: string, rules: FetchRules): Promise<Opened> {
  const deadline = AbortSignal.timeout(rules.timeoutMs);
  const signal = rules.signal ? AbortSignal.any([deadline, rules.signal]) : deadline;
  try {
    const response = await follow(address, rules, signal);
    const problem = problemOf(response);
    if (!problem) return { response, signal, isEncoded: DECODED.has(encodingOf(response)) };
    await response.body?.cancel();
    throw problem;
  } catch (error) {
    throw asProblem(
      error,
      signal,
      rules,
      "The URL could not be fetched. Check its spelling, and that its server is running.",
    );
  }
}

/**
 * Converts an error of reading an opened body to a Problem. Returns an error unchanged if it is already a Problem.
 * @throws Problem call_cancelled if the caller has canceled the call
 */
export function transferProblem(error: unknown, signal: AbortSignal, rules: FetchRules): Problem {
  return asProblem(error, signal, rules, "The connection closed before the whole file arrived. Try again.");
}

function asProblem(error: unknown, signal: AbortSignal, rules: FetchRules, otherwise: string): Problem {
  if (error instanceof Problem) return error;
  throwIfCanceled(rules.signal);
  if (signal.aborted)
    return new Problem(
      "source_timeout",
      `The URL did not deliver the file within ${rules.timeoutMs / 1000} s. Upload the file, or use a faster server.`,
      {
        cause: error,
      },
    );
  return new Problem("source_unreachable", otherwise, { cause: error });
}

async function follow(address: string, rules: FetchRules, signal: AbortSignal): Promise<Response> {
  let url = expectAddress(address, rules);
  // allows a redirect to the loopback only if the first URL names the loopback too
  const allowLoopback = rules.allowLoopback && namesThisMachine(url);
  const seen = new Set<string>();

  for (let hop = 0; ; hop++) {
    const rule = brokenRule(url, allowLoopback, rules.blockedHosts) ?? (await dnsRule(url, rules, signal));
    if (rule) throw notAllowed(hop === 0 ? "The URL" : "The URL's redirect target", rule);
    const response = await fetch(url, {
      redirect: "manual",
      cache: "no-store", // keeps callers' files out of the platform's shared cache
      signal,
      headers: { Accept: "*/*", "Accept-Encoding": "identity", "User-Agent": "Overprint" },
    });
    const location = response.headers.get("Location");
    if (!REDIRECTS.has(response.status) || location === null) return response;

    await response.body?.cancel();
    const next = parse(location, url);
    if (!next) throw new Problem("source_unreachable", "The URL redirects to an invalid URL. Use the file's own URL.");
    if (next.protocol === "http:" && url.protocol === "https:")
      throw notAllowed("The URL's redirect target", "it changes from https to http");
    seen.add(url.href);
    if (hop === MAX_REDIRECTS || seen.has(next.href))
      throw new Problem(
        "source_unreachable",
        `The URL redirects in a loop, or more than ${MAX_REDIRECTS} times. Use the final URL of the file.`,
      );
    url = next;
  }
}

/**
 * Checks a URL without fetching it, and returns it parsed.
 * @throws Problem source_not_allowed
 */
export function expectAddress(
  address: string,
  { allowLoopback, blockedHosts }: Pick<FetchRules, "allowLoopback" | "blockedHosts">,
): URL {
  const url = parse(address);
  const rule = url ? brokenRule(url, allowLoopback, blockedHosts) : "it is not a valid URL";
  if (!url || rule) throw notAllowed("The URL", rule!);
  return url;
}

/**
 * Returns the rule that a URL violates, or undefined if the URL is allowed. Besides the rules of {@link
 * brokenAddressRule}, the operator must not have blocked the URL's host.
 */
function brokenRule(url: URL, allowLoopback: boolean, blockedHosts: readonly string[] = []): string | undefined {
  const isBlocked = isBlockedHost(blockedHosts, url.hostname);
  return brokenAddressRule(url, allowLoopback) ?? (isBlocked ? "the operator has blocked its host" : undefined);
}

function parse(address: string, base?: URL): URL | null {
  const url = address.length > MAX_URL_LENGTH ? null : URL.parse(address, base?.href);
  if (url) url.hash = "";
  return url;
}

async function dnsRule(url: URL, { dnsCheckUrl }: FetchRules, signal: AbortSignal): Promise<string | undefined> {
  return dnsCheckUrl && !namesThisMachine(url) ? brokenDnsRule(url.hostname, dnsCheckUrl, signal) : undefined;
}

function notAllowed(subject: string, rule: string): Problem {
  return new Problem(
    "source_not_allowed",
    `${subject} may not be fetched: ${rule}. Use a public http(s) URL, or send the file itself: ${UPLOAD_FIRST}.`,
  );
}

/** Returns the Problem that a response's status or headers indicate, or undefined if the body can be read. */
function problemOf(response: Response): Problem | undefined {
  const { status } = response;
  const encoding = encodingOf(response);
  if (status !== 200) return new Problem("source_unreachable", `The URL answered ${status}. ${adviceFor(status)}`);
  if (!PLAIN.has(encoding) && !DECODED.has(encoding))
    return new Problem(
      "source_unreachable",
      "The URL's server used an unsupported Content-Encoding. Serve the file unencoded, or with gzip or br.",
    );
  return undefined;
}

function encodingOf({ headers }: Response): string {
  return headers.get("Content-Encoding") ?? "";
}

function adviceFor(status: number): string {
  if (status === 401 || status === 403) return "Check that the file can be downloaded without signing in.";
  if (status === 404 || status === 410) return "Check the spelling, and that the link has not expired.";
  if (status === 429 || status >= 500) return "Its server is busy or failing. Try again later.";
  return "The server must answer 200 with the whole file.";
}
