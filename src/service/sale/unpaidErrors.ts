import { type FieldError, Problem } from "../../shared/problems.ts";
import { idempotencyKeyOf } from "../request/idempotencyKey.ts";
import { MAX_PROBLEMS } from "../request/invalidRequest.ts";
import type { Exchange } from "./callContext.ts";
import { errorsOf, fieldErrorsOf } from "./precheck.ts";
import type { AcceptedRequest } from "./products.ts";

type Accepted = AcceptedRequest | undefined;

/**
 * Returns errors that a paid call with a request would get. Returns only errors that can be detected without reading
 * the request's files, and at most `MAX_PROBLEMS`.
 * @param accept reads and validates the request; returns undefined if the request was not read
 * @param sentKey the idempotency key, not yet validated
 */
export async function errorsBeforePayment(
  accept: () => Accepted | Promise<Accepted>,
  sentKey: unknown,
  exchange: Exchange,
): Promise<FieldError[]> {
  const keyErrors = await errorsOf("", () => idempotencyKeyOf(sentKey, { identifier: null }));
  const errors: FieldError[] = [];
  try {
    const accepted = await accept();
    if (accepted) errors.push(...(await accepted.precheck(exchange)));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    errors.push(...fieldErrorsOf(error, ""));
  }
  return [...keyErrors, ...errors].slice(0, MAX_PROBLEMS);
}
