import type { Notice } from "../../engine/index.ts";

/** The notices in words, for people and models. */
export const NOTICES: Record<Notice, string> = {
  "signatures-invalidated": "The source was signed; its signatures are no longer valid.",
  "attachments-not-marked": "The source is a portfolio; the files attached to it are not watermarked.",
  "pdfa-transparency":
    "The source is PDF/A, but the result is not: the mark is transparent. Text and opaque images at opacity 1 are not.",
  "pdfa-color":
    "The source is PDF/A, but the result is not: it allows no such colours as the image has. An RGB image will do.",
};
