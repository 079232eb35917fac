import type { PdfDocument } from "./document.ts";

/** The finished file: its length is known before its bytes are made. */
export interface OutputPlan {
  length: number;
  stream(): ReadableStream<Uint8Array>;
}

export async function planOutput(document: PdfDocument): Promise<OutputPlan> {
  const bytes = await document.inner.save({ updateFieldAppearances: false, addDefaultPage: false });
  return { length: bytes.length, stream: () => new Response(bytes).body! };
}
