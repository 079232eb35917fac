/** Messages between the page and the engine's worker. */
import type { EngineErrorCode, MarkOutline } from "../src/engine/index.ts";
import type { FieldValue } from "../src/service/request/fieldKinds.ts";

/** A file to mark, with its settings. */
export interface MarkRequest {
  id: number;
  /** The file, sent without a copy. Only the worker reads its bytes. */
  file: File;
  operation: "text" | "image";
  fields: Record<string, FieldValue>;
  image?: File | undefined;
  limits: { maxPages: number; maxPixels: number };
}

/** A marked PDF, byte for byte equal to the service's answer to the same request. */
export interface Marked {
  pdf: Uint8Array<ArrayBuffer>;
  pages: number;
  notices: readonly string[];
  /** The place of the mark on the first pages. */
  outlines: MarkOutline[];
}

/** The reason why a file was not marked, with the invalid fields. */
export interface Refusal {
  /** The engine's error code, if the engine rejected the file or the mark. */
  code?: EngineErrorCode;
  detail: string;
  errors: { path: string; message: string }[];
}

/** Thrown if the engine rejects a request. */
export class Refused extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.detail);
    this.refusal = refusal;
  }
}

/** The answer to the {@link MarkRequest} with the same id. */
export type MarkAnswer = { id: number } & ({ marked: Marked } | { refusal: Refusal });
