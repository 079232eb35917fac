/** Reads a form without files (application/x-www-form-urlencoded, URL Standard, 5.1). */
import { Problem, repeatedField } from "../shared/problems.ts";
import { LONG_TEXT_BYTES, MAX_TEXT_BYTES } from "./inlineFile.ts";
import type { MemoryShare } from "./memory.ts";
import { TextMemory } from "./textMemory.ts";

/**
 * Returns the fields of a form. Replaces invalid UTF-8 by replacement characters.
 * @throws Problem invalid_request if a field is repeated; unsupported_media_type if the body is JSON or a PDF;
 * body_too_large; too_busy if memory is short; Problems of `body`
 */
export async function readUrlEncoded(
  body: AsyncIterable<Uint8Array>,
  memory: MemoryShare,
): Promise<Record<string, string>> {
  const text = new TextMemory(memory, tooMuchText);
  const pieces: Uint8Array[] = [];
  for await (const piece of body) {
    if (pieces.length === 0) expectForm(Buffer.from(piece).toString("latin1", 0, BEGINNING_BYTES));
    text.take(piece.length);
    pieces.push(Buffer.from(piece)); // copies the piece, because the body reuses its buffer
  }
  text.takeToRead();
  return urlEncodedFields(Buffer.concat(pieces).toString());
}

/**
 * Returns the fields of a form that has been read.
 * @throws Problem invalid_request if a field is repeated; unsupported_media_type if the text is JSON or a PDF;
 * body_too_large if a field is too long
 */
export function urlEncodedFields(text: string): Record<string, string> {
  expectForm(text.slice(0, BEGINNING_BYTES));
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (fields.has(name)) throw repeated(name);
    if (value.length > LONG_TEXT_BYTES) throw tooMuchText();
    fields.set(name, value);
  }
  return Object.fromEntries(fields);
}

/** Number of bytes that are searched for the beginning of another format. */
const BEGINNING_BYTES = 64;

/**
 * Rejects a PDF or JSON that was sent as a form. `curl -d` and `curl --data-binary` declare a form unless the command
 * names another type.
 * @throws Problem unsupported_media_type
 */
function expectForm(beginning: string): void {
  if (beginning.startsWith("%PDF-"))
    throw new Problem(
      "unsupported_media_type",
      "The body is a PDF, but its Content-Type is that of a form. Send it with `Content-Type: application/pdf` and the other fields in the query.",
    );
  if (/^\s*[[{]\s*["{]/.test(beginning))
    throw new Problem(
      "unsupported_media_type",
      "The body is JSON, but its Content-Type is that of a form. Send it with `Content-Type: application/json`.",
    );
}

function repeated(name: string): Problem {
  const error = repeatedField(name);
  return new Problem("invalid_request", `The form has \`${error.path}\` more than once. Send each field once.`, {
    errors: [error],
  });
}

function tooMuchText(): Problem {
  return new Problem(
    "body_too_large",
    `The form has a field of more than ${LONG_TEXT_BYTES} bytes, or more than ${MAX_TEXT_BYTES} bytes in all. Send files as multipart/form-data, or the PDF alone as application/pdf.`,
  );
}
