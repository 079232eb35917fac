import { expect, test } from "vitest";
import { PaymentError } from "../../src/payments/wire/errors.ts";
import { describeError } from "../../src/shared/log.ts";
import { Problem, problemDetails, problemOf, readFailure, writeFailure } from "../../src/shared/problems.ts";

test("writeFailure serializes the problem of a failed call, and returns undefined for a canceled call", () => {
  expect(readFailure(writeFailure(new Problem("damaged_pdf", "It is."))!)).toMatchObject({ code: "damaged_pdf" });
  expect(writeFailure(new Problem("call_cancelled", "It was."))).toBeUndefined();
});

test("a problem reveals a generated idempotency key to the caller, but not to the log", () => {
  const idempotencyKey = crypto.randomUUID();
  const problem = problemOf(new PaymentError("settlement_pending", "It is being settled.", { idempotencyKey }));
  expect(problemDetails(problem, "request-1")).toMatchObject({
    detail: expect.stringContaining(`"Idempotency-Key: ${idempotencyKey}"`),
    idempotency_key: idempotencyKey,
  });
  expect(describeError(problem)).not.toContain(idempotencyKey);
});
