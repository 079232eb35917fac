/** What the page and its engine, which runs in a worker, say to each other. */

/** A file to mark, and how. */
export interface MarkRequest {
  id: number;
  /** Copied by reference: nothing of it is read before the engine does. */
  file: File;
  operation: "text" | "image";
  fields: Record<string, string | number>;
  image?: File | undefined;
  limits: { maxPages: number; maxPixels: number };
}

/** A marked PDF: byte for byte what the service answers to the same request. */
export interface Marked {
  pdf: Uint8Array<ArrayBuffer>;
  pages: number;
  notices: readonly string[];
  milliseconds: number;
}

/** Why a file was not marked: a sentence, and what is wrong with which field. */
export interface Refusal {
  detail: string;
  errors: { path: string; message: string }[];
}

/** Thrown where the engine refuses a request. */
export class Refused extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.detail);
    this.refusal = refusal;
  }
}

/** The answer to the {@link MarkRequest} with this id. */
export type MarkAnswer = { id: number } & ({ marked: Marked } | { refusal: Refusal });
