/**
 * The types of the service's API, derived from the service's own schemas. The build of the package writes the same
 * types as plain TypeScript with a description of each field, so that callers do not need the schemas.
 */
import type * as z from "zod";
import type { NoticeCode as MarkNoticeCode } from "../../src/engine/index.ts";
import type { imageRequest, textRequest } from "../../src/service/request/schemas.ts";
import type { ProblemCode as ServiceProblemCode } from "../../src/shared/problems.ts";

/** Fields of a text watermark, except the file. */
export type TextFields = Omit<z.input<ReturnType<typeof textRequest>>, "file">;

/** Fields of an image watermark, except the file and the image. */
export type ImageFields = Omit<z.input<ReturnType<typeof imageRequest>>, "file" | "image">;

/** Codes of the service's errors. */
export type ProblemCode = ServiceProblemCode;

/** Codes of the notices about a result. */
export type NoticeCode = MarkNoticeCode | "payment-not-settled";
