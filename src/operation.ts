import type { Config } from "./config.ts";
import { type Picture, readImage } from "./engine/images/picture.ts";
import { markWithImage } from "./engine/marks/imageMark.ts";
import { markWithText } from "./engine/marks/textMark.ts";
import { type ByteSource, MemorySource, RangeSource } from "./engine/pdf/byteSource.ts";
import { openPdf, type PdfDocument } from "./engine/pdf/document.ts";
import { PlanOutdated } from "./engine/pdf/eraser.ts";
import { type OutputPlan, planOutput } from "./engine/pdf/outputPlan.ts";
import type { Received } from "./inputs/receive.ts";
import { expectPdf, HEAD_LENGTH } from "./inputs/sniff.ts";
import { openSource } from "./inputs/source.ts";
import type { Goods } from "./payments/gate.ts";
import { PRICE } from "./payments/price.ts";
import { throwIfCancelled } from "./problems.ts";
import type { Rooms } from "./rooms.ts";
import type { ImageRequest, Result, Source, TextRequest } from "./schemas.ts";
import { urlOf } from "./storage/link.ts";
import { deleteResult, type StoredResult, storeResult } from "./storage/results.ts";

/** What a call goes through, in this order. */
export const STAGES = ["fetching", "marking", "storing", "settling"] as const;
/** One of {@link STAGES}. */
export type Stage = (typeof STAGES)[number];

/** What an operation runs with. */
export interface Surroundings {
  env: Env;
  config: Config;
  /** Scheme and host the result's link is made with. */
  origin: string;
  /** Whether this caller may name files on this machine's loopback: a developer's own, where the settings allow it. */
  allowLoopback: boolean;
  /** Where its files go. */
  rooms: Rooms;
  /** Aborted where the caller no longer wants the result: work that has not been settled stops, and is not charged. */
  signal?: AbortSignal;
  /** Told of each stage as it begins. */
  progress?: (stage: Stage) => void;
}

/** What a call delivers. */
export interface Delivery {
  result: Result;
  /** The source was signed, and no change of a page leaves a signature valid. */
  signaturesInvalidated: boolean;
}

/** Lays a text over every page. @throws Problem of the inputs, fonts, pdf rooms; nothing is stored then */
export function watermarkText(request: TextRequest, surroundings: Surroundings): Promise<Goods<Delivery>> {
  return watermark("watermark.text", request, surroundings, (document) =>
    markWithText(document, request, surroundings.env.FONTS),
  );
}

/** Lays an image over every page. @throws Problem of the inputs, mark, pdf rooms; nothing is stored then */
export function watermarkImage(request: ImageRequest, surroundings: Surroundings): Promise<Goods<Delivery>> {
  const { maxImageBytes, maxImagePixels } = surroundings.config;
  let picture: Promise<Picture> | undefined;
  const read = async () => {
    const image = await open(request.image, "image", surroundings);
    return readImage(await image.head(maxImageBytes), { maxPixels: maxImagePixels });
  };
  return watermark("watermark.image", request, surroundings, async (document) => {
    picture ??= read();
    markWithImage(document, request, await picture);
  });
}

type MarkDocument = (document: PdfDocument) => Promise<void>;

async function watermark(
  operation: Result["operation"],
  request: TextRequest | ImageRequest,
  surroundings: Surroundings,
  mark: MarkDocument,
): Promise<Goods<Delivery>> {
  try {
    begin("fetching", surroundings);
    const source = await open(request.file, "file", surroundings);
    const made = deliver(operation, source, request, surroundings, mark);
    return await made.finally(() => source.release());
  } finally {
    surroundings.rooms.turn.end();
  }
}

async function deliver(
  operation: Result["operation"],
  source: Received,
  { file, filename, password }: TextRequest | ImageRequest,
  surroundings: Surroundings,
  mark: MarkDocument,
): Promise<Goods<Delivery>> {
  const { env, config, origin, signal } = surroundings;
  expectPdf(await source.head(HEAD_LENGTH), file);
  begin("marking", surroundings);
  const stamp = (thorough: boolean) => planStamped(source, { password, maxPages: config.maxPages, thorough }, mark);
  const store = ({ plan }: Stamped) => {
    begin("storing", surroundings);
    return storeResult(env.RESULTS, plan, { filename, ttlSeconds: config.linkTtlSeconds });
  };
  let stamped = await stamp(false);
  const stored = await store(stamped).catch(async (error: unknown): Promise<StoredResult> => {
    if (!(error instanceof PlanOutdated)) throw error;
    stamped = await stamp(true);
    return store(stamped);
  });

  const { id, token, bytes, expiresAt } = stored;
  if (signal?.aborted) await deleteResult(env.RESULTS, id);
  throwIfCancelled(signal);
  const { pages, signed } = stamped;
  const output = { url: urlOf(origin, { id, token }), expires_at: expiresAt.toISOString(), pages, bytes };
  return {
    value: { result: { output, operation, cost: PRICE.label }, signaturesInvalidated: signed },
    output: id,
    expiresAt,
    pages,
    bytes,
  };
}

/** Tells that a stage begins. @throws Problem call_cancelled where nobody wants it any more */
function begin(stage: Stage, { signal, progress }: Surroundings): void {
  throwIfCancelled(signal);
  progress?.(stage);
}

/** What is left of a document once its output is planned: the document itself can take as much memory as a small file. */
interface Stamped {
  plan: OutputPlan;
  pages: number;
  signed: boolean;
}

async function planStamped(
  { content }: Received,
  options: { password: string | undefined; maxPages: number; thorough: boolean },
  mark: MarkDocument,
): Promise<Stamped> {
  const source: ByteSource = content instanceof Uint8Array ? new MemorySource(content) : new RangeSource(content);
  const document = await openPdf(source, options);
  await mark(document);
  return { plan: await planOutput(document), pages: document.pages.length, signed: document.signed };
}

function open(source: Source, field: "file" | "image", surroundings: Surroundings): Promise<Received> {
  const { config, allowLoopback, rooms, signal } = surroundings;
  const { fetchTimeoutMs: timeoutMs, dnsCheckUrl } = config;
  return openSource(source, field, {
    rules: { timeoutMs, allowLoopback, dnsCheckUrl, signal },
    room: rooms[field],
  });
}
