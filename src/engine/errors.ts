/** Why something cannot be marked. Stable: programs tell failures apart by it. */
export type EngineErrorCode =
  | "not_a_pdf"
  | "damaged_pdf"
  | "too_many_pages"
  | "password_required"
  | "modification_not_permitted"
  | "unsupported_encryption"
  | "xfa_not_supported"
  | "unsupported_image"
  | "damaged_image"
  | "image_too_large"
  | "unsupported_character";

/** The engine's refusal of a file, an image or a text. Its message tells whoever sent them what is wrong and what to do. */
export class EngineError extends Error {
  override name = "EngineError";
  readonly code: EngineErrorCode;

  constructor(code: EngineErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
