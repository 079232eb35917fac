/** Replaces texts of the API by words for the visitors of the page. */
import type { EngineErrorCode } from "../src/engine/index.ts";
import type { Refusal } from "./messages.ts";

/** Errors whose texts in the API name a field to send. */
const ERRORS: Partial<Record<EngineErrorCode, string>> = {
  password_required: "This PDF needs its password.",
  wrong_password: "This password does not open the PDF. Try another one.",
  modification_not_permitted: "This PDF does not allow changes. Enter its owner password.",
};

/** Returns a refusal in plain words. */
export function inPlainWords(refusal: Refusal): Refusal {
  const words = refusal.code && ERRORS[refusal.code];
  if (!words) return refusal;
  return { ...refusal, detail: words, errors: refusal.errors.map((error) => ({ ...error, message: words })) };
}
