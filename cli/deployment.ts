/** Talking to a deployment: what its answers are, and why there is none. */
import { isLoopback } from "../src/shared/net/loopback.ts";
import { EXIT, Failure, inFlags, misuse } from "./failure.ts";

/** Where large files are uploaded to, and any that are not in the call itself. */
export const UPLOADS_PATH = "/v1/uploads";

/** Returns whether an address is of this machine, where nothing but development is. */
export function isOfThisMachine(url: URL): boolean {
  return isLoopback(new Request(url));
}

/**
 * Reads the address of a deployment, or of something that it sells.
 * @throws Failure if it is none, or would be spoken to in the clear over a network
 */
export function readAddress(flag: string, text: string): URL {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol))
    throw misuse(`${flag} must be an address, such as https://pdf.example.com`);
  if (url.username || url.password) throw misuse(`${flag} has a user or password in it, which no deployment asks for`);
  if (url.protocol === "http:" && !isOfThisMachine(url))
    throw misuse(`${flag} must be https: a payment that others read on its way is theirs to use`);
  return url;
}

/**
 * Returns whether a file may be sent to, or fetched from, an address that a deployment gives: none in the clear, and one of
 * another machine nothing that only this one reaches.
 */
export function mayGive(address: string, by: URL): boolean {
  const url = URL.parse(address);
  if (!url) return false;
  return isOfThisMachine(url) ? /^https?:$/.test(url.protocol) && isOfThisMachine(by) : url.protocol === "https:";
}

/** More than any problem has to say. */
const MAX_WORDS = 1000;

/** How long a deployment may take to answer what costs it no work. */
const SILENCE_SECONDS = 30;

/**
 * Sends a request that is answered at once, as one for a price is.
 * @throws Failure as {@link request}, and `unreachable` if there is no answer in half a minute
 */
export function ask(url: URL, init: RequestInit): Promise<Response> {
  return request(url, { ...init, signal: AbortSignal.timeout(SILENCE_SECONDS * 1000) });
}

/** A problem that a deployment has answered with, or a 402 in x402's own shape. */
interface Answered {
  code?: unknown;
  detail?: unknown;
  error?: unknown;
}

/**
 * Sends a request. Redirects are not followed: what is sent is for this address alone.
 * @throws Failure `unreachable` if there is no answer, `redirected`
 */
export async function request(url: URL | string, init: RequestInit = {}): Promise<Response> {
  const answer = await fetch(url, { ...init, redirect: "manual" }).catch((error: Error) => {
    throw new Failure("unreachable", `${new URL(url).origin} cannot be reached: ${causeOf(error, url)}`);
  });
  if (answer.status < 300 || answer.status > 399) return answer;
  throw new Failure("redirected", `${url} sends callers on to ${answer.headers.get("Location")}: name that one`);
}

function causeOf(error: Error, url: URL | string): string {
  if (error.name === "TimeoutError") return `it has said nothing for ${SILENCE_SECONDS} seconds`;
  const { cause } = error as { cause?: { code?: string; message?: string } };
  if (cause?.code === "ECONNREFUSED")
    return `nothing listens there${isOfThisMachine(new URL(url)) ? " (`overprint dev` starts one on this machine)" : ""}`;
  if (cause?.code === "ERR_SSL_WRONG_VERSION_NUMBER") return "what answers there is not https";
  if (cause?.code === "ENOTFOUND") return "there is no such host";
  return cause?.message || cause?.code || error.message;
}

/** More than any answer that is no file has. */
const MAX_ANSWER_BYTES = 1_000_000;

/**
 * Reads an answer as text: of one that does not end, no more than is needed to know that it is none of Overprint's.
 * @throws Error if it is longer, or breaks off
 */
export async function textIn(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of answer.body ?? []) {
    length += chunk.length;
    if (length > MAX_ANSWER_BYTES) throw new Error("the answer does not end");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Returns the failure that an answer is, in the service's own words. */
export async function refusalIn(answer: Response): Promise<Failure> {
  const text = await textIn(answer).catch(() => "");
  const { code, detail, error } = parsed(text);
  const words =
    [detail, error].find((told) => typeof told === "string") ??
    `the answer was a ${answer.status} that is none of Overprint's`;
  const seconds = Math.max(0, Number(answer.headers.get("Retry-After")) || 0);
  const told = inFlags(words.slice(0, MAX_WORDS).replace(/\.$/, ""));
  return new Failure(typeof code === "string" ? code : `http_${answer.status}`, told, EXIT.failed, seconds);
}

function parsed(text: string): Answered {
  try {
    return Object(JSON.parse(text)) as Answered;
  } catch {
    return {};
  }
}

/** Returns a failure after which money may have moved, and how to go on. */
export function unfinished(code: string, message: string): Failure {
  return new Failure(code, message, EXIT.unfinished);
}
