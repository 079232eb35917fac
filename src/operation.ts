import type { Config } from "./config.ts";
import { refuseWebPage } from "./inputs/sniff.ts";
import { readSource } from "./inputs/source.ts";
import { readImage } from "./mark/image/picture.ts";
import { markWithImage } from "./mark/image.ts";
import { markWithText } from "./mark/text.ts";
import type { Goods } from "./payments/gate.ts";
import { PRICE } from "./payments/price.ts";
import { MemorySource } from "./pdf/byteSource.ts";
import { openPdf, type PdfDocument } from "./pdf/document.ts";
import { planOutput } from "./pdf/plan.ts";
import type { ImageRequest, Result, TextRequest } from "./schemas.ts";
import { urlOf } from "./storage/link.ts";
import { storeResult } from "./storage/results.ts";

/** What an operation runs with. */
export interface Surroundings {
  env: Env;
  config: Config;
  /** Scheme and host the result's link is made with. */
  origin: string;
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
    const bytes = await readSource(request.image, "image", {
      maxBytes: config.maxImageBytes,
      timeoutMs: config.fetchTimeoutMs,
    });
    markWithImage(document, request, await readImage(bytes, { maxPixels: config.maxImagePixels }));
  });
}

async function watermark(
  operation: Result["operation"],
  { file, filename, password }: TextRequest | ImageRequest,
  { env, config, origin }: Surroundings,
  mark: (document: PdfDocument) => Promise<void>,
): Promise<Goods<Delivery>> {
  const source = await readSource(file, "file", { maxBytes: config.maxSourceBytes, timeoutMs: config.fetchTimeoutMs });
  refuseWebPage(source);
  const document = await openPdf(new MemorySource(source), { password, maxPages: config.maxPages });
  await mark(document);

  const { id, token, bytes, expiresAt } = await storeResult(env.RESULTS, await planOutput(document), {
    filename,
    ttlSeconds: config.linkTtlSeconds,
  });
  return {
    value: {
      result: {
        output: {
          url: urlOf(origin, { id, token }),
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
