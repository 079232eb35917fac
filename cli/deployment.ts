/** Sends HTTP requests to a deployment, and converts its error answers to failures. */
import { isLoopback } from "../src/shared/net/loopback.ts";
import { EXIT, Failure, inFlags, misuse } from "./failure.ts";

/** Path at which uploads are created. A file too large for the call itself is uploaded first. */
export const UPLOADS_PATH = "/v1/uploads";

/** Returns whether an address is on this machine's loopback, where only development deployments run. */
export function isOfThisMachine(url: URL): boolean {
  return isLoopback(new Request(url));
}

/**
 * Parses the address of a deployment, or of a paid operation.
 * @throws Failure if the address is malformed, or would send payments unencrypted over a network
 */
export function readAddress(flag: string, text: string): URL {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol))
    throw misuse(`${flag} must be an http(s) address, such as https://pdf.example.com`);
  if (url.username || url.password) throw misuse(`${flag} must not contain a user name or password`);
  if (url.protocol === "http:" && !isOfThisMachine(url))
    throw misuse(`${flag} must be https: anyone who reads a payment on its way could use it`);
  return url;
}

/**
 * Parses the value of `--url`: the address of a deployment without a path.
 * @throws Failure
 */
export function originOf(text: string): URL {
  const url = readAddress("--url", text);
  if (url.href === `${url.origin}/`) return url;
  throw misuse(`--url must be the address of the deployment without a path: ${url.origin}`);
}

/**
 * Returns whether a file may be sent to or downloaded from `address`, which the deployment `by` returned. The address
 * must use https. An address on this machine may also use http, but only a deployment on this machine may return such
 * an address.
 */
export function mayGive(address: string, by: URL): boolean {
  const url = URL.parse(address);
  if (!url) return false;
  return isOfThisMachine(url) ? /^https?:$/.test(url.protocol) && isOfThisMachine(by) : url.protocol === "https:";
}

/** Maximum length of a message printed from a deployment's answer. */
const MAX_MESSAGE_LENGTH = 1000;

/** Timeout for requests that the deployment answers at once. */
const SILENCE_SECONDS = 30;

/**
 * Sends a request that the deployment answers at once, such as a request for the price.
 * @throws Failure like {@link request}, and `unreachable` after {@link SILENCE_SECONDS} without an answer
 */
export function ask(url: URL, init: RequestInit): Promise<Response> {
  return request(url, { ...init, signal: AbortSignal.timeout(SILENCE_SECONDS * 1000) });
}

/** An error answer of a deployment: a problem, or a 402 in the format of x402. */
interface Answered {
  code?: unknown;
  detail?: unknown;
  error?: unknown;
}

/**
 * Sends a request. Does not follow redirects, because payments and files are meant for this address only.
 * @throws Failure `unreachable` if no answer arrives, or `redirected` if the answer is a redirect
 */
export async function request(url: URL | string, init: RequestInit = {}): Promise<Response> {
  const answer = await fetch(url, { ...init, redirect: "manual" }).catch((error: Error) => {
    throw new Failure("unreachable", `${new URL(url).origin} cannot be reached: ${causeOf(error, url)}`);
  });
  if (answer.status < 300 || answer.status > 399) return answer;
  throw new Failure("redirected", `${url} redirects to ${answer.headers.get("Location")}: use that address`);
}

function causeOf(error: Error, url: URL | string): string {
  if (error.name === "TimeoutError") return `no answer for ${SILENCE_SECONDS} seconds`;
  const { cause } = error as { cause?: { code?: string; message?: string } };
  if (cause?.code === "ECONNREFUSED")
    return `nothing listens there${isOfThisMachine(new URL(url)) ? " (`npm run dev` in a clone starts a deployment on this machine)" : ""}`;
  if (cause?.code === "ERR_SSL_WRONG_VERSION_NUMBER") return "the server there does not use https";
  if (cause?.code === "ENOTFOUND") return "the host does not exist";
  return cause?.message || cause?.code || error.message;
}

/** Maximum size of an answer other than a file. */
const MAX_ANSWER_BYTES = 1_000_000;

/**
 * Reads an answer that is not a file as text, up to {@link MAX_ANSWER_BYTES}. Overprint's own answers are shorter.
 * @throws Error if the answer is longer or ends early
 */
export async function textIn(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of answer.body ?? []) {
    length += chunk.length;
    if (length > MAX_ANSWER_BYTES) throw new Error("the answer is too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Converts an error answer to a failure with the service's own message. */
export async function refusalIn(answer: Response): Promise<Failure> {
  const text = await textIn(answer).catch(() => "");
  const { code, detail, error } = parsed(text);
  const words =
    [detail, error].find((text) => typeof text === "string") ??
    `the answer (status ${answer.status}) is not from an Overprint deployment`;
  const seconds = Math.max(0, Number(answer.headers.get("Retry-After")) || 0);
  const message = inFlags(words.slice(0, MAX_MESSAGE_LENGTH).replace(/\.$/, ""));
  return new Failure(typeof code === "string" ? code : `http_${answer.status}`, message, EXIT.failed, seconds);
}

function parsed(text: string): Answered {
  try {
    return Object(JSON.parse(text)) as Answered;
  } catch {
    return {};
  }
}

/**
 * Creates a failure with the exit code `unfinished`, for errors after which money may have moved. The message says how
 * to continue.
 */
export function unfinished(code: string, message: string): Failure {
  return new Failure(code, message, EXIT.unfinished);
}
