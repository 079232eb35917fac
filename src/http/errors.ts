import type { Context } from "hono";
import { refusedCredential } from "../payments/wire/mppProblem.ts";
import { PaymentRequired, type SignedOffers } from "../payments/wire/offer.ts";
import { paymentRequiredV1 } from "../payments/wire/renderings.ts";
import { limitRefusals } from "../service/limits/rateLimits.ts";
import { nearest } from "../service/request/nearest.ts";
import { UPLOADS_PATH } from "../service/request/uploads.ts";
import { PRODUCTS } from "../service/sale/products.ts";
import { signedOffers } from "../service/sale/proof.ts";
import { whileClosed } from "../service/sale/purchase.ts";
import { challengesFor, credentialIn } from "../service/sale/sentPayments.ts";
import { describeError, log } from "../shared/log.ts";
import { Problem, problemDetails, problemOf } from "../shared/problems.ts";
import { READING_POLICY } from "../site/policies.ts";
import { ProblemPage } from "../site/problemPage.tsx";
import type { ApiEnv } from "./environment.ts";
import { isFileHost } from "./fileHost.ts";
import { prefersPage, sendPage } from "./page.ts";
import { paymentRequiredHeaders } from "./paymentHeaders.ts";
import { PURCHASES } from "./purchases.ts";

/**
 * Renders any error that a handler throws. Errors are problem+json (RFC 9457). The only exception is the 402 for a call
 * without an MPP credential, which has the x402 format. A browser gets the problem as a page.
 */
export async function onError(thrown: Error, c: Context<ApiEnv>): Promise<Response> {
  // The settings are missing if reading them failed.
  const { config } = c.var as Partial<ApiEnv["Variables"]>;
  const error = await limitRefusals(config ? whileClosed(thrown, config) : thrown, c.req.raw, c.env);
  if (error instanceof PaymentRequired) {
    Object.assign(c.var.facts, { code: "payment_required", reason: error.reason });
    const { raw } = c.req;
    const signed = await signedOffers(error.offer, raw, c.var.config);
    const headers = {
      ...paymentRequiredHeaders(error, signed, challengesFor(error.offer, raw, c.var.config)),
      Link: '</openapi.json>; rel="service-desc"', // RFC 8631: the link to the API description
      "Cache-Control": "no-store",
    };
    if (credentialIn(raw, c.var.config) === undefined) return c.json(unpaidBody(error, signed), 402, headers);
    const refused = JSON.stringify(refusedCredential(error, c.var.requestId));
    return c.body(refused, 402, { ...headers, "Content-Type": "application/problem+json" });
  }

  const problem = problemOf(error);
  const { code, status, headers, cause } = problem;
  c.var.facts.code = code;
  if (status >= 500)
    log({ event: "failure", request_id: c.var.requestId, code, error: describeError(cause ?? problem) });
  const isRead = ["GET", "HEAD"].includes(c.req.method);
  if (isRead) c.header("Vary", "Accept", { append: true });
  if (isRead && prefersPage(c)) {
    const page = ProblemPage({ problem, requestId: c.var.requestId, links: !isFileHost(c) });
    return sendPage(c, page, READING_POLICY, status, {
      "Cache-Control": "no-store",
      "X-Robots-Tag": "noindex",
      ...headers,
    });
  }
  return c.body(JSON.stringify(problemDetails(problem, c.var.requestId)), status, {
    "Cache-Control": "no-store",
    ...headers,
    "Content-Type": "application/problem+json",
  });
}

/**
 * Returns the body of a 402: the terms of x402 version 1, and further members about the errors of the request
 * (`facts`). x402 clients ignore these members.
 */
function unpaidBody({ offer, reason, facts }: PaymentRequired, signed: SignedOffers | undefined) {
  return { ...paymentRequiredV1(offer, reason, signed), ...facts };
}

const ALL_ENDPOINTS = "See GET /openapi.json for all endpoints.";

/** Paths that callers often misspell. */
const KNOWN_PATHS = [
  ...PRODUCTS.map(({ path }) => path),
  ...[UPLOADS_PATH, PURCHASES, "/mcp", "/openapi.json", "/docs", "/llms.txt"],
];

/**
 * Answers a request that matches no route.
 * @throws Problem not_found
 */
export function notFound(c: Context<ApiEnv>): never {
  const suggestion = nearest(c.req.path, KNOWN_PATHS);
  const hint = suggestion === undefined ? "" : ` Did you mean ${suggestion}?`;
  throw new Problem("not_found", `Nothing exists at this path.${hint} ${ALL_ENDPOINTS}`);
}

/**
 * Returns a handler that rejects every method not in `allowed` on a known path (RFC 9110, 15.5.6).
 * @param headers additional headers of the response
 * @throws Problem method_not_allowed, from the handler
 */
export function methodNotAllowed(allowed: string, headers: Record<string, string> = {}) {
  return (): never => {
    throw new Problem("method_not_allowed", `Use ${allowed} here. ${ALL_ENDPOINTS}`, {
      headers: { Allow: allowed, ...headers },
    });
  };
}
