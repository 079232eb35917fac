import { zValidator } from "@hono/zod-validator";
import type { Context, MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { z } from "zod";
import { configOf } from "../config.ts";
import { invalidRequest } from "../invalidRequest.ts";
import { Problem } from "../problems.ts";
import { asForm, type ImageRequest, type imageRequest, type TextRequest, type textRequest } from "../schemas.ts";
import type { ApiEnv } from "./environment.ts";

/** Refuses a body over the limit before it is read. @throws Problem body_too_large */
export const limitBody: MiddlewareHandler<ApiEnv> = (c, next) => {
  const { maxBodyBytes } = configOf(c.env);
  return bodyLimit({
    maxSize: maxBodyBytes,
    onError: () => {
      throw new Problem(
        "body_too_large",
        `The request body is larger than ${maxBodyBytes} bytes. Send a URL as \`file\` instead.`,
      );
    },
  })(c, next);
};

/**
 * Reads and checks a request body, JSON or multipart, and leaves it as `c.req.valid("json")` or `("form")`.
 * @throws Problem body_too_large, unsupported_media_type, invalid_request with one entry in `errors` for each wrong field
 */
export function requestBody(schema: typeof textRequest | typeof imageRequest): MiddlewareHandler<ApiEnv>[] {
  const hook = (result: { success: boolean; error?: z.core.$ZodError }) => {
    if (!result.success) throw invalidRequest(result.error!.issues, schema);
  };
  const json = zValidator("json", schema, hook);
  const form = zValidator("form", asForm(schema), hook);

  const parsed: MiddlewareHandler<ApiEnv> = async (c, next) => {
    switch (mediaType(c)) {
      case "application/json":
        return json(c as never, next);
      case "multipart/form-data":
        c.req.bodyCache.formData = await readForm(c); // else the validator holds the body twice
        return form(c as never, next);
      default:
        throw new Problem("unsupported_media_type", "Send application/json or multipart/form-data.", {
          headers: { "Accept-Post": "application/json, multipart/form-data" },
        });
    }
  };
  return [limitBody, parsed];
}

/** What {@link requestBody} has checked. */
export function validBody(c: Context): TextRequest | ImageRequest {
  return (c.req.valid("json" as never) ?? c.req.valid("form" as never)) as TextRequest | ImageRequest;
}

async function readForm(c: Context): Promise<FormData> {
  try {
    return await c.req.raw.formData();
  } catch (cause) {
    throw new Problem(
      "invalid_request",
      "The body is not well-formed multipart/form-data. Let your HTTP client set the Content-Type with its boundary.",
      { cause },
    );
  }
}

function mediaType(c: Context): string {
  return (c.req.header("Content-Type") ?? "").split(";")[0]!.trim().toLowerCase();
}
