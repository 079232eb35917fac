/** Sends HTTP requests to a deployment, and converts the client's errors to failures. */
import { errorIn, isOfThisMachine, send } from "../packages/client/http.ts";
import { EXIT, Failure, failureOf, misuse } from "./failure.ts";

/**
 * Parses the address of a deployment, or of a paid operation.
 * @throws Failure if the address is malformed, or if payments to it would cross a network unencrypted
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

/** Timeout for requests that the deployment answers at once. */
const SILENCE_SECONDS = 30;

/**
 * Sends a request that the deployment answers at once, such as a request for the price.
 * @throws Failure like {@link request}, and `unreachable` after {@link SILENCE_SECONDS} without an answer
 */
export function ask(url: URL, init: RequestInit): Promise<Response> {
  return request(url, init, SILENCE_SECONDS);
}

/**
 * Sends a request. Does not follow redirects, because payments and files are meant for this address only.
 * @param seconds time limit of the answer. Default: no limit
 * @throws Failure `unreachable` if no answer arrives, or `redirected` if the answer is a redirect
 */
export async function request(url: URL | string, init: RequestInit = {}, seconds?: number): Promise<Response> {
  return send(url, init, seconds).catch((error) => {
    throw withHint(failureOf(error), error, new URL(url));
  });
}

/** If nothing listens at an address of this machine, adds the command that starts a deployment to the failure. */
function withHint(failure: Failure, { cause }: Error, url: URL): Failure {
  const { code } = ((cause as Error | undefined)?.cause ?? {}) as { code?: string };
  if (code !== "ECONNREFUSED" || !isOfThisMachine(url)) return failure;
  const words = "`npm run dev` in a clone starts a deployment on this machine";
  return new Failure(failure.code, `${failure.message} (${words})`);
}

/** Converts an error answer to a failure with the service's own message. */
export async function refusalIn(answer: Response): Promise<Failure> {
  return failureOf(await errorIn(answer));
}

/**
 * Creates a failure with the exit code `unfinished`, for errors after which money may have moved. The message says how
 * to continue.
 */
export function unfinished(code: string, message: string): Failure {
  return new Failure(code, message, EXIT.unfinished);
}
