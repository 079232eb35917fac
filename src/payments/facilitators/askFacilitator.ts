import type * as z from "zod";
import type { EventContext } from "../wire/events.ts";
import { authorization, boundedText, type RemoteFacilitator } from "./facilitatorHttp.ts";
import { noteFailure, noteVerdict } from "./failures.ts";

/**
 * HTTP statuses from 400 to 499 that are not a rejection of this payment. In an answer to `/settle`, 402 may belong to
 * a malformed verdict. After 408 or 409, an attempt may still have settled the payment.
 */
const NOT_ABOUT_PAYMENT = { verify: [401, 403, 408, 429], settle: [401, 402, 403, 408, 409, 429] };

const NO_REASON = "the facilitator gave no reason";
const MAX_REASON_LENGTH = 200;
/** The fields in which facilitators explain a rejected request, in order of preference. */
const EXPLANATIONS = ["errorMessage", "invalidMessage", "message", "detail", "error", "invalidReason", "errorReason"];

/**
 * Returns a function that calls a facilitator. The calls `POST /verify` and `POST /settle` are the same in both versions
 * of x402.
 */
export function askingFacilitator(
  { url, timeoutMs, auth }: Omit<RemoteFacilitator, "supported">,
  { requestId, log }: EventContext,
) {
  /**
   * Sends a request to the facilitator, and returns its verdict. A verdict may have status 200 or 4xx, because
   * facilitators use both for refusals. A 5xx is never a verdict, even with a well-formed body. Without a verdict,
   * returns the HTTP status, or `isLost` if the connection broke before any answer. `rejection` is the reason if the
   * status rejects this payment, for example because the payload does not match the facilitator's schema.
   */
  return async function ask<S extends z.ZodType>(
    call: "verify" | "settle",
    request: string,
    schema: S,
    abandoned?: AbortSignal,
  ): Promise<{ answer?: z.output<S>; status?: number; isLost?: boolean; rejection?: string }> {
    const endpoint = new URL(`${url.replace(/\/+$/, "")}/${call}`);
    const failure = { event: "facilitator", request_id: requestId, host: endpoint.host, call } as const;
    const tooLate = AbortSignal.timeout(timeoutMs);
    let status: number | undefined;
    try {
      const response = await fetch(endpoint, {
        method: "POST",
        headers: { "Content-Type": "application/json", ...(await authorization(endpoint, auth)) },
        body: request,
        redirect: "manual",
        signal: abandoned ? AbortSignal.any([tooLate, abandoned]) : tooLate,
      });
      ({ status } = response);
      const body = await boundedText(response);
      const json = parsed(body);
      const answer = schema.safeParse(json);
      if (answer.success && status < 500) {
        noteVerdict(url, call);
        return { answer: answer.data, status };
      }
      const isRejection = status >= 400 && status < 500 && !NOT_ABOUT_PAYMENT[call].includes(status);
      noteFailure(url, { call, status, isRejection, at: Date.now() });
      log({ ...failure, status, ...(json === undefined && { error: "the answer is not JSON" }) });
      if (!isRejection) return { status };
      return {
        status,
        rejection: `facilitator_refused: the facilitator answered ${status}: ${explanation(json, body)}`,
      };
    } catch (error) {
      if (abandoned?.aborted) return {};
      noteFailure(url, { call, status, isRejection: false, at: Date.now() });
      log({ ...failure, ...(status && { status }), error: String(error) });
      if (status === undefined) return { isLost: (error as Error).name !== "TimeoutError" };
    }
    return { status };
  };
}

/** Returns a reason as one line of bounded length. */
export function reasonOf(reason: string | null | undefined): string {
  return (
    reason
      ?.replace(/[\s\p{C}]+/gu, " ")
      .trim()
      .slice(0, MAX_REASON_LENGTH) || NO_REASON
  );
}

/** Returns a facilitator's explanation of a rejected request. Omits the HTML of an error page. */
function explanation(json: unknown, body: string): string {
  const fields = new Map<string, unknown>(Object.entries(Object(json) as object));
  const texts = EXPLANATIONS.map((name) => fields.get(name));
  const text = texts.find((value) => typeof value === "string" && value !== "") as string | undefined;
  return reasonOf(text ?? (body.trimStart().startsWith("<") ? "" : body));
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
