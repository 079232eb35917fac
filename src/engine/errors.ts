/** The reason why a PDF, an image or a text cannot be marked. The codes are stable, so programs can rely on them. */
export type EngineErrorCode =
  | "not_a_pdf"
  | "damaged_pdf"
  | "too_many_pages"
  | "too_complex"
  | "password_required"
  | "wrong_password"
  | "modification_not_permitted"
  | "unsupported_encryption"
  | "xfa_not_supported"
  | "unsupported_image"
  | "damaged_image"
  | "image_too_large"
  | "unsupported_character";

/** Thrown when the engine rejects a PDF, an image or a text. The message states the cause and a remedy. */
export class EngineError extends Error {
  override name = "EngineError";
  readonly code: EngineErrorCode;

  constructor(code: EngineErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
