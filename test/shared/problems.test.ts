import { expect, test } from "vitest";
import { PaymentError } from "../../src/payments/wire/errors.ts";
import { describeError } from "../../src/shared/log.ts";
import { Problem, problemDetails, problemOf, readFailure, writeFailure } from "../../src/shared/problems.ts";

test("calls that wait for another's work are told why it failed, unless that was cancelled", () => {
  expect(readFailure(writeFailure(new Problem("damaged_pdf", "It is."))!)).toMatchObject({ code: "damaged_pdf" });
  expect(writeFailure(new Problem("call_cancelled", "It was."))).toBeUndefined();
});

test("the key that a call is given is in its answer, and not in what is logged of it", () => {
  const idempotencyKey = crypto.randomUUID();
  const problem = problemOf(new PaymentError("settlement_pending", "It is being settled.", { idempotencyKey }));
  expect(problemDetails(problem, "request-1")).toMatchObject({
    detail: expect.stringContaining(`"Idempotency-Key: ${idempotencyKey}"`),
    idempotency_key: idempotencyKey,
  });
  expect(describeError(problem)).not.toContain(idempotencyKey);
});
