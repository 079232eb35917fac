/** Sends requests to a deployment, and converts its error answers to errors. */
import { isLoopback } from "../../src/shared/net/loopback.ts";
import { type FieldError, OverprintError } from "./errors.ts";

/** Maximum size in bytes of an answer other than a file. */
const MAX_ANSWER_BYTES = 1_000_000;

/**
 * Parses the address of a deployment.
 * @throws OverprintError if the address is malformed, or if payments to it would cross a network unencrypted
 */
export function originOf(text: string): URL {
  const url = parsed(text);
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isOfThisMachine(url));
  if (!url || !isSafe || url.href !== `${url.origin}/`)
    throw new OverprintError(
      "invalid_argument",
      "`url` must be the https address of a deployment without a path, such as https://pdf.example.com.",
    );
  return url;
}

function parsed(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

/** Returns whether an address is on this machine's loopback, where only development deployments run. */
export function isOfThisMachine(url: URL): boolean {
  return isLoopback(new Request(url));
}

/**
 * Returns whether a file may be sent to or read from `address`, which the deployment `by` returned. The address must
 * use https. Only a deployment on this machine may name an address on this machine.
 */
export function isTrusted(address: string, by: URL): boolean {
  const url = parsed(address);
  if (!url) return false;
  return isOfThisMachine(url) ? /^https?:$/.test(url.protocol) && isOfThisMachine(by) : url.protocol === "https:";
}

/**
 * Sends a request. Does not follow redirects, because payments and files are meant for this address only.
 * @param seconds time limit of the answer. Default: no limit
 * @throws OverprintError `unreachable` or `redirected`
 */
export async function send(url: URL | string, init: RequestInit, seconds?: number): Promise<Response> {
  const signal = seconds === undefined ? null : AbortSignal.timeout(seconds * 1000);
  const answer = await fetch(url, { ...init, redirect: "manual", signal }).catch((cause: Error) => {
    const message = `${new URL(url).origin} cannot be reached: ${reasonOf(cause, seconds)}.`;
    throw new OverprintError("unreachable", message, { cause });
  });
  // browsers hide the status of a redirect
  const isRedirect = answer.status === 0 || (answer.status > 299 && answer.status < 400);
  if (!isRedirect) return answer;
  const target = answer.headers.get("Location") ?? "another address";
  throw new OverprintError("redirected", `${new URL(url).origin} redirects to ${target}. Use that address.`);
}

const REASONS: Record<string, string> = {
  ECONNREFUSED: "nothing listens there",
  ENOTFOUND: "the host does not exist",
  ERR_SSL_WRONG_VERSION_NUMBER: "the server there does not use https",
};

function reasonOf(error: Error, seconds: number | undefined): string {
  if (error.name === "TimeoutError") return `no answer for ${seconds} seconds`;
  const { code = "", message } = Object(error.cause ?? {}) as { code?: string; message?: string };
  return REASONS[code] ?? (message || code || error.message);
}

/**
 * Reads the JSON of an answer. Returns undefined if the answer is too long, is cut off, or is not JSON.
 */
export async function jsonIn(answer: Response): Promise<unknown> {
  try {
    return JSON.parse(await textIn(answer));
  } catch {
    return undefined;
  }
}

async function textIn(answer: Response): Promise<string> {
  const reader = answer.body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let length = 0;
  while (reader) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > MAX_ANSWER_BYTES) {
      await reader.cancel();
      throw new Error("the answer is too long");
    }
    text += decoder.decode(value, { stream: true });
  }
  return text + decoder.decode();
}

/** Members of a problem document (RFC 9457), or of a 402 of x402. */
interface Problem {
  code?: unknown;
  detail?: unknown;
  error?: unknown;
  request_id?: unknown;
  errors?: unknown;
}

/**
 * Converts an error answer to an error with the service's own code and message. A 402, which has no code in x402, becomes
 * `payment_refused`.
 */
export async function errorIn(answer: Response): Promise<OverprintError> {
  const { code, detail, error, request_id, errors } = Object((await jsonIn(answer)) ?? {}) as Problem;
  const message = [detail, error].find((text) => typeof text === "string");
  const retryAfter = answer.headers.get("Retry-After");
  return new OverprintError(
    typeof code === "string" ? (code as OverprintError["code"]) : codeOf(answer),
    message ?? `The answer (status ${answer.status}) is not from an Overprint deployment.`,
    {
      status: answer.status,
      errors: Array.isArray(errors) ? (errors as FieldError[]) : [],
      requestId: typeof request_id === "string" ? request_id : (answer.headers.get("X-Request-Id") ?? undefined),
      retryAfterSeconds: retryAfter === null ? undefined : Math.max(0, Number(retryAfter) || 0),
    },
  );
}

function codeOf({ status }: Response): OverprintError["code"] {
  return status === 402 ? "payment_refused" : `http_${status}`;
}
