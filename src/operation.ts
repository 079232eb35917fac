import type { Config } from "./config.ts";
import type { FetchRules } from "./inputs/fetch.ts";
import { expectPdf } from "./inputs/sniff.ts";
import { readSource } from "./inputs/source.ts";
import { readImage } from "./mark/image/picture.ts";
import { markWithImage } from "./mark/image.ts";
import { markWithText } from "./mark/text.ts";
import type { Goods } from "./payments/gate.ts";
import { PRICE } from "./payments/price.ts";
import { MemorySource } from "./pdf/byteSource.ts";
import { openPdf, type PdfDocument } from "./pdf/document.ts";
import { planOutput } from "./pdf/plan.ts";
import { throwIfCancelled } from "./problems.ts";
import type { ImageRequest, Result, TextRequest } from "./schemas.ts";
import { deleteResult, storeResult } from "./storage/results.ts";

/** What a call goes through, in this order. */
export const STAGES = ["fetching", "marking", "storing", "settling"] as const;
export type Stage = (typeof STAGES)[number];

/** What an operation runs with. */
export interface Surroundings {
  env: Env;
  config: Config;
  /** Scheme and host the result's link is made with. */
  origin: string;
  /** Whether this caller may name files on this machine's loopback: a developer's own, where the settings allow it. */
  allowLoopback: boolean;
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
  const { config } = surroundings;
  return watermark("watermark.image", request, surroundings, async (document) => {
    const bytes = await readSource(request.image, "image", fetchRules(surroundings, config.maxImageBytes));
    markWithImage(document, request, await readImage(bytes, { maxPixels: config.maxImagePixels }));
  });
}

async function watermark(
  operation: Result["operation"],
  { file, password }: TextRequest | ImageRequest,
  surroundings: Surroundings,
  mark: (document: PdfDocument) => Promise<void>,
): Promise<Goods<Delivery>> {
  const { env, config, origin, signal, progress } = surroundings;
  const begin = (stage: Stage) => {
    throwIfCancelled(signal);
    progress?.(stage);
  };

  begin("fetching");
  const source = await readSource(file, "file", fetchRules(surroundings, config.maxSourceBytes));
  expectPdf(source, file);
  begin("marking");
  const document = await openPdf(new MemorySource(source), { password, maxPages: config.maxPages });
  await mark(document);

  begin("storing");
  const { id, token, bytes, expiresAt } = await storeResult(
    env.RESULTS,
    await planOutput(document),
    config.linkTtlSeconds,
  );
  if (signal?.aborted) await deleteResult(env.RESULTS, id);
  throwIfCancelled(signal);
  return {
    value: {
      result: {
        output: {
          url: `${origin}/v1/files/${id}.pdf?token=${token}`,
          expires_at: expiresAt.toISOString(),
          pages: document.pages.length,
          bytes,
        },
        operation,
        cost: PRICE.label,
      },
      signaturesInvalidated: document.signed,
    },
    output: id,
    expiresAt,
    pages: document.pages.length,
    bytes,
  };
}

function fetchRules({ config, allowLoopback, signal }: Surroundings, maxBytes: number): FetchRules {
  return { maxBytes, timeoutMs: config.fetchTimeoutMs, allowLoopback, dnsCheckUrl: config.dnsCheckUrl, signal };
}
