import type { Handler, MiddlewareHandler } from "hono";
import { z } from "zod";
import { configOf } from "../config.ts";
import { type Delivery, type Surroundings, watermarkImage, watermarkText } from "../operation.ts";
import { facilitatorFor } from "../payments/facilitator.ts";
import { type Goods, sell } from "../payments/gate.ts";
import { encodeReceipt, readPayment, requirementFor } from "../payments/x402.ts";
import { type ImageRequest, imageRequest, result, type TextRequest, textRequest } from "../schemas.ts";
import { requestBody, validBody } from "./body.ts";
import type { ApiEnv } from "./environment.ts";

/** One endpoint that sells an operation. */
export interface Endpoint {
  path: string;
  summary: string;
  schema: typeof textRequest | typeof imageRequest;
  run(request: TextRequest | ImageRequest, surroundings: Surroundings): Promise<Goods<Delivery>>;
}

export const ENDPOINTS: readonly Endpoint[] = [
  {
    path: "/v1/watermark/text",
    summary: "Lay a text over every page of a PDF",
    schema: textRequest,
    run: (request, surroundings) => watermarkText(request as TextRequest, surroundings),
  },
  {
    path: "/v1/watermark/image",
    summary: "Lay an image over every page of a PDF",
    schema: imageRequest,
    run: (request, surroundings) => watermarkImage(request as ImageRequest, surroundings),
  },
];

/** The handlers of an endpoint: a call without a good-looking payment gets its 402 before its body is read. */
export function watermark(endpoint: Endpoint): Handler<ApiEnv>[] {
  return [requirePayment(endpoint), ...requestBody(endpoint.schema), sold(endpoint)];
}

function requirePayment({ path, summary, schema }: Endpoint): MiddlewareHandler<ApiEnv> {
  const outputSchema = {
    input: { type: "http", method: "POST", bodyType: "json", body: z.toJSONSchema(schema, { io: "input" }) },
    output: z.toJSONSchema(result),
  };
  return async (c, next) => {
    const config = configOf(c.env);
    facilitatorFor(config, c.req.raw); // a deployment that can't take payments must not ask for one
    const requirement = requirementFor(
      { url: new URL(path, c.req.url).href, description: summary, outputSchema },
      config,
    );
    c.set("requirement", requirement);
    c.set("payment", readPayment(c.req.header("X-PAYMENT"), requirement, Math.floor(Date.now() / 1000)));
    await next();
  };
}

function sold(endpoint: Endpoint): Handler<ApiEnv> {
  return async (c) => {
    const config = configOf(c.env);
    const { value, receipt } = await sell({
      payment: c.get("payment"),
      requirement: c.get("requirement"),
      facilitator: facilitatorFor(config, c.req.raw),
      ledger: c.env.LEDGER,
      work: () => endpoint.run(validBody(c), { env: c.env, config, origin: new URL(c.req.url).origin }),
    });
    return c.json(value.result, 200, {
      "X-PAYMENT-RESPONSE": encodeReceipt(receipt),
      "Cache-Control": "no-store",
      ...(value.signaturesInvalidated && { "Overprint-Notice": "signatures-invalidated" }),
    });
  };
}
