/**
 * Finds errors of a valid request before its payment: characters without a font, URLs that are never fetched, embedded
 * files of another format, uploads without a file. Fetches no URL and opens no stored file.
 */
import { checkMark, detectFormat } from "../../engine/index.ts";
import { expectAddress } from "../../inputs/fetch.ts";
import { latin1 } from "../../inputs/inlineFile.ts";
import { expectFileLink, expectPdf, HEAD_LENGTH } from "../../inputs/sniff.ts";
import { decodeSource, isAddress } from "../../inputs/source.ts";
import { isDeveloper } from "../../shared/net/loopback.ts";
import { type FieldError, Problem, problemOf } from "../../shared/problems.ts";
import { bucketOf } from "../../storage/bucket.ts";
import { isHandle, uploadedFile } from "../../storage/uploads.ts";
import { textMarkOf } from "../request/marks.ts";
import type { ImageRequest, Source, TextRequest } from "../request/schemas.ts";
import type { Exchange } from "./callContext.ts";

/** Returns the errors of a valid request for a text mark. */
export async function precheckText(request: TextRequest, exchange: Exchange): Promise<FieldError[]> {
  const text = await errorsOf("text", () => checkMark(textMarkOf(request)));
  return [...(await fileErrors(request.file, "file", exchange)), ...text];
}

/** Returns the errors of a valid request for an image mark. */
export async function precheckImage(request: ImageRequest, exchange: Exchange): Promise<FieldError[]> {
  const [file, image] = await Promise.all([
    fileErrors(request.file, "file", exchange),
    fileErrors(request.image, "image", exchange),
  ]);
  return [...file, ...image];
}

function fileErrors(
  source: Source,
  field: "file" | "image",
  { request, env, config }: Exchange,
): Promise<FieldError[]> {
  return errorsOf(field, async () => {
    if (typeof source !== "string") return;
    if (isHandle(source)) {
      await uploadedFile(bucketOf(env), source, Date.now());
    } else if (isAddress(source)) {
      expectAddress(source, {
        allowLoopback: config.allowLoopbackSources && isDeveloper(request),
        blockedHosts: config.blocked.hosts,
      });
      if (field === "file") expectFileLink(source);
    } else {
      const bytes = decodeSource(source, field);
      if (field === "image") detectFormat(bytes);
      else expectObjects(bytes);
    }
  });
}

/**
 * Checks that an embedded file has a PDF header, or at least an object with which the engine may repair the file.
 * @throws Problem not_a_pdf
 */
function expectObjects(bytes: Uint8Array): void {
  expectPdf(bytes.subarray(0, HEAD_LENGTH), undefined);
  if (!/%PDF-|obj/.test(latin1(bytes)))
    throw new Problem("not_a_pdf", "The file is not a PDF. Check that you sent the right file.");
}

/**
 * Runs a check of a field, and returns the errors that it throws. Ignores faults of the service, because they must not
 * prevent the 402.
 */
export async function errorsOf(path: string, check: () => unknown): Promise<FieldError[]> {
  try {
    await check();
    return [];
  } catch (error) {
    const problem = problemOf(error);
    return problem.code === "internal_error" ? [] : fieldErrorsOf(problem, path);
  }
}

/**
 * Returns the field errors of a problem. If the problem lists no field errors, returns its detail as the error of
 * `path`.
 */
export function fieldErrorsOf({ errors, detail }: Problem, path: string): FieldError[] {
  return errors ?? [{ path, message: detail }];
}
