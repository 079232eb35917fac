import type { Config } from "./config.ts";
import {
  type LoadFont,
  type Notice,
  PlanOutdated,
  type WatermarkOptions,
  type WatermarkPlan,
  watermark,
} from "./engine/index.ts";
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
import type { Stored } from "./stored.ts";

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
  notices: readonly Notice[];
}

type Request = TextRequest | ImageRequest;
/** Plans the output of a source, whose mark is known. */
type Plan = (source: Uint8Array | Stored, options: WatermarkOptions & { loadFont: LoadFont }) => Promise<WatermarkPlan>;

/** Lays a text over every page. @throws Problem of inputs and engine; nothing is stored then */
export function watermarkText(request: TextRequest, surroundings: Surroundings): Promise<Goods<Delivery>> {
  const { text, template, position, opacity, rotation, color, font_size: fontSizePt, margin: marginPt } = request;
  const mark = { text, template, position, opacity, rotation, color, fontSizePt, marginPt };
  return watermarkBy(
    "watermark.text",
    request,
    surroundings,
    async () => (source, options) => watermark(source, mark, options),
  );
}

/** Lays an image over every page. @throws Problem of inputs and engine; nothing is stored then */
export function watermarkImage(request: ImageRequest, surroundings: Surroundings): Promise<Goods<Delivery>> {
  const { position, opacity, scale, rotation, margin: marginPt } = request;
  return watermarkBy("watermark.image", request, surroundings, async () => {
    const received = await open(request.image, "image", surroundings);
    const image = await received.head(surroundings.config.maxImageBytes);
    const mark = { image, position, opacity, scale, rotation, marginPt };
    return (source, options) => watermark(source, mark, options);
  });
}

async function watermarkBy(
  operation: Result["operation"],
  request: Request,
  surroundings: Surroundings,
  planner: () => Promise<Plan>,
): Promise<Goods<Delivery>> {
  try {
    begin("fetching", surroundings);
    const source = await open(request.file, "file", surroundings);
    const made = deliver(operation, source, request, surroundings, planner);
    return await made.finally(() => source.release());
  } finally {
    surroundings.rooms.turn.end();
  }
}

async function deliver(
  operation: Result["operation"],
  source: Received,
  { file, filename, password }: Request,
  surroundings: Surroundings,
  planner: () => Promise<Plan>,
): Promise<Goods<Delivery>> {
  const { env, config, origin, signal } = surroundings;
  expectPdf(await source.head(HEAD_LENGTH), file);
  const planBy = await planner();
  begin("marking", surroundings);
  const { maxPages, maxImagePixels: maxPixels } = config;
  const plan = (thorough: boolean) =>
    planBy(source.content, { password, maxPages, maxPixels, thorough, loadFont: (path) => fontFile(env.FONTS, path) });
  const store = (planned: WatermarkPlan) => {
    begin("storing", surroundings);
    return storeResult(env.RESULTS, planned, { filename, ttlSeconds: config.linkTtlSeconds });
  };
  let planned = await plan(false);
  const stored = await store(planned).catch(async (error: unknown): Promise<StoredResult> => {
    if (!(error instanceof PlanOutdated)) throw error;
    planned = await plan(true);
    return store(planned);
  });

  const { id, token, bytes, expiresAt } = stored;
  if (signal?.aborted) await deleteResult(env.RESULTS, id);
  throwIfCancelled(signal);
  const { pages, notices } = planned;
  const output = { url: urlOf(origin, { id, token }), expires_at: expiresAt.toISOString(), pages, bytes };
  return {
    value: { result: { output, operation, cost: PRICE.label }, notices },
    output: id,
    expiresAt,
    pages,
    bytes,
  };
}

/** A file of `fonts/`, which are static assets. */
async function fontFile(assets: Fetcher, path: string): Promise<Uint8Array> {
  const response = await assets.fetch(`https://assets.local/${path}`);
  if (!response.ok) throw new Error(`the font ${path} could not be loaded: ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

/** Tells that a stage begins. @throws Problem call_cancelled where nobody wants it any more */
function begin(stage: Stage, { signal, progress }: Surroundings): void {
  throwIfCancelled(signal);
  progress?.(stage);
}

function open(source: Source, field: "file" | "image", surroundings: Surroundings): Promise<Received> {
  const { config, allowLoopback, rooms, signal } = surroundings;
  const { fetchTimeoutMs: timeoutMs, dnsCheckUrl } = config;
  return openSource(source, field, {
    rules: { timeoutMs, allowLoopback, dnsCheckUrl, signal },
    room: rooms[field],
  });
}
