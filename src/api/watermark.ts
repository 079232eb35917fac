import type { Handler, MiddlewareHandler } from "hono";
import { configOf } from "../config.ts";
import { type Delivery, type Surroundings, watermarkImage, watermarkText } from "../operation.ts";
import { facilitatorsFor } from "../payments/facilitator.ts";
import { fingerprintOf } from "../payments/fingerprint.ts";
import { type Goods, sell } from "../payments/gate.ts";
import { offerOf } from "../payments/offer.ts";
import { readPayment } from "../payments/payment.ts";
import { type ImageRequest, imageRequest, type Result, type TextRequest, textRequest } from "../schemas.ts";
import { requestBody, validBody } from "./body.ts";
import { discoveryOf } from "./discovery.ts";
import type { ApiEnv } from "./environment.ts";
import { fileOrigin } from "./fileHost.ts";
import { receiptHeader } from "./paymentHeaders.ts";

/** One endpoint that sells an operation. */
export interface Endpoint {
  path: string;
  operation: Result["operation"];
  summary: string;
  schema: typeof textRequest | typeof imageRequest;
  /** A body it takes, for discovery services. */
  example: Record<string, unknown>;
  run(request: TextRequest | ImageRequest, surroundings: Surroundings): Promise<Goods<Delivery>>;
}

export const ENDPOINTS: readonly Endpoint[] = [
  {
    path: "/v1/watermark/text",
    operation: "watermark.text",
    summary: "Lay a text over every page of a PDF",
    schema: textRequest,
    example: { file: "https://example.com/contract.pdf", text: "CONFIDENTIAL", template: "diagonal" },
    run: (request, surroundings) => watermarkText(request as TextRequest, surroundings),
  },
  {
    path: "/v1/watermark/image",
    operation: "watermark.image",
    summary: "Lay an image over every page of a PDF",
    schema: imageRequest,
    example: {
      file: "https://example.com/contract.pdf",
      image: "https://example.com/logo.png",
      position: "bottom-right",
      scale: 0.2,
    },
    run: (request, surroundings) => watermarkImage(request as ImageRequest, surroundings),
  },
];

/** The handlers of an endpoint: a call without a good-looking payment gets its 402 before its body is read. */
export function watermark(endpoint: Endpoint): Handler<ApiEnv>[] {
  return [requirePayment(endpoint), ...requestBody(endpoint.schema), sold(endpoint)];
}

function requirePayment(endpoint: Endpoint): MiddlewareHandler<ApiEnv> {
  const described = discoveryOf(endpoint);
  return async (c, next) => {
    const config = configOf(c.env);
    facilitatorsFor(config, c.req.raw); // a deployment that can't take payments must not ask for one
    const offer = offerOf(
      { url: new URL(endpoint.path, c.req.url).href, description: endpoint.summary, ...described },
      config,
    );
    c.set("offer", offer);
    c.set("payment", readPayment(c.req.header("PAYMENT-SIGNATURE") ?? c.req.header("X-PAYMENT"), offer));
    await next();
  };
}

function sold({ operation, run }: Endpoint): Handler<ApiEnv> {
  return async (c) => {
    const config = configOf(c.env);
    const [payment, request] = [c.get("payment"), validBody(c)];
    const sale = sell({
      payment,
      offer: c.get("offer"),
      facilitators: facilitatorsFor(config, c.req.raw),
      ledger: c.env.LEDGER,
      fingerprint: await fingerprintOf(operation, request, payment.signature),
      operation,
      workMs: config.workSeconds * 1000,
      linkTtlMs: config.linkTtlSeconds * 1000,
      now: () => Date.now(),
      work: () => run(request, { env: c.env, config, origin: fileOrigin(c.req.raw, config) }),
    });
    c.executionCtx.waitUntil(sale.catch(() => undefined)); // a caller who hangs up finds the result when calling again
    const { value, receipt } = await sale;
    return c.json(value.result, 200, {
      ...receiptHeader(payment.version, receipt),
      "Cache-Control": "no-store",
      ...(value.signaturesInvalidated && { "Overprint-Notice": "signatures-invalidated" }),
    });
  };
}
