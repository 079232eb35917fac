/** `@overprint/client`: buys watermarked PDFs from a deployment of Overprint, in Node.js, browsers and Workers. */
import type { ImageFields, TextFields } from "./api.ts";
import type { FileSource } from "./files.ts";
import { originOf } from "./http.ts";
import type { MarkedPdf } from "./marked.ts";
import { type PaymentOptions, Wallet } from "./payment.ts";
import { buy, type Order } from "./purchase.ts";

export type { ImageFields, NoticeCode, ProblemCode, TextFields } from "./api.ts";
export { type ClientErrorCode, type ErrorCode, type FieldError, OverprintError } from "./errors.ts";
export type { FileSource } from "./files.ts";
export type { MarkedPdf, Notice } from "./marked.ts";
export type { Account, Channel, PaymentOptions } from "./payment.ts";
export type { Receipt } from "./receipt.ts";

/** A deployment, and the way to pay it. */
export interface OverprintOptions extends PaymentOptions {
  /** Address of the deployment, such as `https://pdf.example.com`. */
  url: string;
}

/** Settings of one call. */
export interface CallOptions {
  /**
   * Key of the purchase. Calls with the same key are charged once. Default: a new key for each call, which the result
   * and each error contain.
   */
  idempotencyKey?: string | undefined;
}

/** A client of a deployment. It pays for each call, and never twice for one call. */
export class Overprint {
  readonly #origin: URL;
  readonly #wallet: Wallet;

  /** @throws OverprintError `invalid_argument` */
  constructor(options: OverprintOptions) {
    const { url, ...payment } = given(options);
    this.#origin = originOf(url);
    this.#wallet = new Wallet(payment);
  }

  /**
   * Buys a text on every page of a PDF.
   * @throws OverprintError
   * @example
   * const marked = await overprint.watermarkText(pdf, { text: "DRAFT" });
   * await writeFile("marked.pdf", marked.stream());
   */
  watermarkText(file: FileSource, fields: TextFields, options: CallOptions = {}): Promise<MarkedPdf> {
    return this.#buy({ operation: "text", file, fields }, options);
  }

  /**
   * Buys an image on every page of a PDF.
   * @throws OverprintError
   * @example
   * const marked = await overprint.watermarkImage(pdf, { image: logo, scale: 0.2 });
   */
  watermarkImage(
    file: FileSource,
    mark: ImageFields & { image: FileSource },
    options: CallOptions = {},
  ): Promise<MarkedPdf> {
    const { image, ...fields } = given(mark);
    return this.#buy({ operation: "image", file, image, fields }, options);
  }

  async #buy(order: Omit<Order, "idempotencyKey">, options: CallOptions) {
    const idempotencyKey = given(options).idempotencyKey ?? crypto.randomUUID();
    return buy(this.#origin, this.#wallet, { ...order, idempotencyKey });
  }
}

/** Returns options, or no options if a program without types passes none. The missing options are reported by name. */
function given<Options extends object>(options: Options): Options {
  return options ?? ({} as Options);
}
