import { Problem, throwIfCancelled } from "../shared/problems.ts";
import { brokenAddressRule, namesThisMachine } from "./address.ts";
import { brokenDnsRule } from "./dns.ts";
import { UPLOAD_FIRST } from "./upload.ts";

/** How many redirects are followed from one URL. */
export const MAX_REDIRECTS = 3;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** The length of URL that all implementations are asked to support (RFC 9110, 4.1). */
const MAX_URL_LENGTH = 8000;
/** The encodings that the runtime decodes itself. A body in any other would be taken for the file. */
const DECODED = new Set(["gzip", "br"]);
const PLAIN = new Set(["", "identity"]);

/** What may be fetched, and how long it may take. */
export interface FetchRules {
  /** Deadline for one URL, redirects and body included. */
  timeoutMs: number;
  /** Development: URLs may name this machine's loopback, at any port. */
  allowLoopback: boolean;
  /** A DNS-over-HTTPS resolver that is asked first whether a host is public, for runtimes that do not check it. */
  dnsCheckUrl?: string | undefined;
  /** Aborted when the caller no longer wants the file. */
  signal?: AbortSignal | undefined;
}

/** A response with its body unread. */
interface Opened {
  response: Response;
  /** Aborts the body at the deadline or when the caller cancels. */
  signal: AbortSignal;
  /** The server has encoded the body: what is read may be far more than comes, and Content-Length is not its length. */
  isEncoded: boolean;
}

/**
 * Requests the URL that a caller named and returns the response with its body unread; {@link transferProblem} converts
 * errors of reading it. Every redirect is checked like the first URL. Of what the remote server says, callers are told
 * only the status.
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
      "The URL could not be fetched. Check its spelling and that its server is up.",
    );
  }
}

/**
 * Converts an error of reading an opened body to a Problem; a Problem is returned unchanged.
 * @throws Problem call_cancelled if the caller has cancelled
 */
export function transferProblem(error: unknown, signal: AbortSignal, rules: FetchRules): Problem {
  return asProblem(error, signal, rules, "The transfer broke off before the whole file had come. Try again.");
}

function asProblem(error: unknown, signal: AbortSignal, rules: FetchRules, otherwise: string): Problem {
  if (error instanceof Problem) return error;
  throwIfCancelled(rules.signal);
  if (signal.aborted)
    return new Problem("source_timeout", `The URL did not deliver within ${rules.timeoutMs / 1000} s.`, {
      cause: error,
    });
  return new Problem("source_unreachable", otherwise, { cause: error });
}

async function follow(address: string, rules: FetchRules, signal: AbortSignal): Promise<Response> {
  let url = parse(address);
  if (!url) throw notAllowed("The URL", "it cannot be read as one");
  const allowLoopback = rules.allowLoopback && namesThisMachine(url); // no redirect from elsewhere may lead there
  const seen = new Set<string>();

  for (let hop = 0; ; hop++) {
    const rule = brokenAddressRule(url, allowLoopback) ?? (await dnsRule(url, rules, signal));
    if (rule) throw notAllowed(hop === 0 ? "The URL" : "What the URL redirects to", rule);
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
    if (!next) throw new Problem("source_unreachable", "The URL redirects to something that is not a URL.");
    if (next.protocol === "http:" && url.protocol === "https:")
      throw notAllowed("What the URL redirects to", "it leaves https for http");
    seen.add(url.href);
    if (hop === MAX_REDIRECTS || seen.has(next.href))
      throw new Problem(
        "source_unreachable",
        `The URL redirects in a circle or more than ${MAX_REDIRECTS} times. Use the address where the file is in the end.`,
      );
    url = next;
  }
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

/** Returns what is wrong with a response, judged by its status and headers. */
function problemOf(response: Response): Problem | undefined {
  const { status } = response;
  const encoding = encodingOf(response);
  if (status !== 200) return new Problem("source_unreachable", `The URL answered ${status}. ${adviceFor(status)}`);
  if (!PLAIN.has(encoding) && !DECODED.has(encoding))
    return new Problem(
      "source_unreachable",
      "The URL answered in an unknown Content-Encoding. Serve the file plainly.",
    );
  return undefined;
}

function encodingOf({ headers }: Response): string {
  return headers.get("Content-Encoding") ?? "";
}

function adviceFor(status: number): string {
  if (status === 401 || status === 403) return "Check that it can be downloaded without signing in.";
  if (status === 404 || status === 410) return "Check its spelling, and that the link has not expired.";
  if (status === 429 || status >= 500) return "Its server is busy or failing: try again later.";
  return "Only an answer 200 with the whole file will do.";
}
