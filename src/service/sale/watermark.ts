/** Does the work of a call: fetches the file, marks its pages, and stores the output. */
import {
  checkMark,
  type LoadFont,
  loadFonts,
  type Notice,
  PlanOutdated,
  type RangeReader,
  type WatermarkOptions,
  type WatermarkPlan,
  watermark,
} from "../../engine/index.ts";
import { LARGE_BYTES } from "../../inputs/largeFileSlot.ts";
import { receiveStored } from "../../inputs/receive.ts";
import type { ReceivedFile } from "../../inputs/receivedFile.ts";
import { expectPdf, HEAD_LENGTH } from "../../inputs/sniff.ts";
import { isAddress, openSource } from "../../inputs/source.ts";
import { throwIfCanceled } from "../../shared/problems.ts";
import { bucketOf } from "../../storage/bucket.ts";
import { fontLoader } from "../../storage/fonts.ts";
import { urlOf } from "../../storage/link.ts";
import { deleteResult, type StoredResult, storeResult } from "../../storage/results.ts";
import { isHandle, uploadedFile } from "../../storage/uploads.ts";
import type { FileHashes } from "../request/fingerprint.ts";
import { imageMarkOf, textMarkOf } from "../request/marks.ts";
import type { ImageRequest, Result, Source, TextRequest } from "../request/schemas.ts";
import type { CallContext, Stage } from "./callContext.ts";

/** A marked PDF that is in storage. */
export interface Marked {
  output: Result["output"];
  notices: readonly Notice[];
  id: string;
  expiresAt: Date;
  /** Facts for the signed receipt, if receipts are signed. */
  proof: Proof | undefined;
}

/** The facts that a receipt proves: the resource, and the SHA-256 of the source and of the result, in hexadecimal. */
export interface Proof {
  resourceUrl: string;
  /** The SHA-256 of the source, in hexadecimal. For an upload in parts, the result of `identityOfParts`. */
  inputSha256: string;
  outputSha256: string;
}

/**
 * Returns the digest of a request's content, given the hashes of the files that the request names.
 * @param source the name of the PDF
 */
export type ContentDigest = (fetched: FileHashes, source: string | undefined) => Promise<string | undefined>;

/** Plans the output for a source file. Each planner applies one particular mark. */
type Planner = (
  source: Uint8Array | RangeReader,
  options: WatermarkOptions & { loadFont: LoadFont },
) => Promise<WatermarkPlan>;

/**
 * Puts a text on every page of a PDF. If an error is thrown, no output remains in storage.
 * @throws Problem if the file cannot be received or the call is canceled
 * @throws EngineError if the file or the text cannot be used
 */
export async function watermarkText(request: TextRequest, call: CallContext, digest: ContentDigest): Promise<Marked> {
  const mark = textMarkOf(request);
  checkMark(mark);
  // loads the fonts while the file arrives; a failure here is ignored, because it recurs when the mark is drawn
  const fonts = isElsewhere(request.file)
    ? loadFonts(mark, fontLoader(call.env.ASSETS), call.date).catch(() => undefined)
    : undefined;
  const source = await call.step("receive", () => openPdf(request.file, call));
  await bindDefaultKey(call, () => digest({ file: source.sha256 }, source.name));
  await fonts;
  return deliver(source, request, call, (pdf, options) => watermark(pdf, mark, options));
}

/**
 * Puts an image on every page of a PDF. If an error is thrown, no output remains in storage.
 * @throws Problem if a file cannot be received or the call is canceled
 * @throws EngineError if the file or the image cannot be used
 */
export async function watermarkImage(request: ImageRequest, call: CallContext, digest: ContentDigest): Promise<Marked> {
  const openImage = async (signal?: AbortSignal) => {
    const image = await open(request.image, "image", call, signal);
    if (!isAddress(request.image) && image.content instanceof Uint8Array)
      checkMark({ image: image.content }, { maxPixels: call.config.maxImagePixels });
    return image;
  };
  const sent = isElsewhere(request.image) ? undefined : await openImage();
  const [source, received] = await call.step("receive", () =>
    together([(signal) => openPdf(request.file, call, signal), async (signal) => sent ?? openImage(signal)]),
  );
  await bindDefaultKey(call, () => digest({ file: source.sha256, image: received.sha256 }, source.name));
  const image = await received.whole(call.receiving.image.memory, call.slot);
  const mark = imageMarkOf(request, image);
  return deliver(source, request, call, (pdf, options) => watermark(pdf, mark, options));
}

/** Returns whether a file still has to be fetched. */
function isElsewhere(file: Source): boolean {
  return isAddress(file) || (typeof file === "string" && isHandle(file));
}

/**
 * Opens two files concurrently. If one fails, aborts the fetch of the other. Even then, waits for both fetches to end,
 * because a fetch uses memory of the call.
 * @throws Error of the file that failed first
 */
async function together(
  openings: [(signal: AbortSignal) => Promise<ReceivedFile>, (signal: AbortSignal) => Promise<ReceivedFile>],
): Promise<[ReceivedFile, ReceivedFile]> {
  const failure = new AbortController();
  const [one, other] = openings.map((open) =>
    open(failure.signal).catch((error: unknown) => {
      failure.abort(error);
      throw error;
    }),
  ) as [Promise<ReceivedFile>, Promise<ReceivedFile>];
  await Promise.allSettled([one, other]);
  failure.signal.throwIfAborted();
  return [await one, await other];
}

async function openPdf(file: Source, call: CallContext, signal?: AbortSignal): Promise<ReceivedFile> {
  begin("fetching", call);
  const source = await open(file, "file", call, signal);
  expectPdf(await source.head(HEAD_LENGTH), file);
  return source;
}

/** Begins to bind the request's default key, if the key applies. Does not wait until the key is bound. */
async function bindDefaultKey({ defaultKey }: CallContext, digest: () => ReturnType<ContentDigest>): Promise<void> {
  const known = defaultKey && (await digest());
  if (known !== undefined) defaultKey?.bind(known);
}

async function deliver(
  { content, sha256: inputSha256, name }: ReceivedFile,
  { filename, password }: TextRequest | ImageRequest,
  call: CallContext,
  planner: Planner,
): Promise<Marked> {
  const { env, config, origin, signal, resourceUrl, date, defaultKey } = call;
  if (content.length > LARGE_BYTES) await call.slot.acquire();
  begin("marking", call);
  call.workBegan = Date.now();
  const { maxPages, maxImagePixels: maxPixels } = config;
  const loadFont = fontLoader(env.ASSETS);
  const plan = (thorough: boolean) =>
    call.step("plan", () =>
      planner(content, { password, maxPages, maxPixels, thorough, loadFont, date, filename: name || filename }),
    );
  const isHashed = resourceUrl !== undefined;
  const store = async ({ length, chunks }: WatermarkPlan) => {
    // throws if the content is already sold, so that nothing is stored
    if (defaultKey?.isContested) await defaultKey.bound;
    begin("storing", call);
    const kept = { filename, ttlSeconds: config.linkTtlSeconds, isHashed };
    const { promise: written, resolve } = Promise.withResolvers<void>();
    const storing = storeResult(bucketOf(env), { length, chunks: () => before(resolve, chunks()) }, kept);
    await call.step("write", () => Promise.race([written, storing]));
    return call.step("store", () => storing);
  };
  let planned = await plan(false);
  const stored = await store(planned).catch(async (error: unknown): Promise<StoredResult> => {
    if (!(error instanceof PlanOutdated)) throw error;
    planned = await plan(true);
    return store(planned);
  });

  const { id, token, bytes, expiresAt, sha256: outputSha256 } = stored;
  try {
    await defaultKey?.bound;
    throwIfCanceled(signal);
  } catch (error) {
    // if deleting fails, the sweep deletes the result later
    await deleteResult(bucketOf(env), id).catch(() => undefined);
    throw error;
  }
  const { pages, notices } = planned;
  const url = urlOf(origin, { id, token });
  const output = { url, expires_at: expiresAt.toISOString(), pages, bytes };
  const proof = resourceUrl && inputSha256 && outputSha256 ? { resourceUrl, inputSha256, outputSha256 } : undefined;
  return { output, notices, id, expiresAt, proof };
}

/** Yields chunks and calls `end` after the last one. */
async function* before(end: () => void, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* chunks;
  end();
}

/**
 * Reports the beginning of a stage.
 * @throws Problem call_cancelled if the caller has canceled
 */
function begin(stage: Stage, { signal, progress }: CallContext): void {
  throwIfCanceled(signal);
  progress?.(stage);
}

/**
 * Opens a file of the request.
 * @param fileSignal signal that is aborted when this file is no longer needed, even if the call continues
 */
async function open(
  source: Source,
  field: "file" | "image",
  call: CallContext,
  fileSignal: AbortSignal | undefined,
): Promise<ReceivedFile> {
  const { config, allowLoopback, receiving } = call;
  const signal = fileSignal && call.signal ? AbortSignal.any([call.signal, fileSignal]) : (fileSignal ?? call.signal);
  if (typeof source === "string" && isHandle(source))
    return receiveStored(await uploadedFile(bucketOf(call.env), source, Date.now()), receiving[field]);
  const { fetchTimeoutMs: timeoutMs, dnsCheckUrl } = config;
  return openSource(source, field, {
    rules: { timeoutMs, allowLoopback, blockedHosts: config.blocked.hosts, dnsCheckUrl, signal },
    limits: receiving[field],
    isHashed:
      (call.resourceUrl !== undefined && field === "file") || (call.defaultKey !== undefined && isAddress(source)),
    inspect: (head) => field === "file" && expectPdf(head, source),
  });
}
