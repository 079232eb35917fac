/** The result of a call, and its download. */
import { noticeText } from "../../src/service/sale/notices.ts";
import type { NoticeCode } from "./api.ts";
import { OverprintError } from "./errors.ts";
import { hashing } from "./files.ts";
import { errorIn, isTrusted, send } from "./http.ts";
import type { Receipt } from "./receipt.ts";

/** A fact about a result that its recipient should know. */
export interface Notice {
  code: NoticeCode;
  /** Page numbers, such as `1-3 7`. Undefined if the notice concerns the whole file. */
  pages: string | undefined;
  message: string;
}

/** A marked PDF that has been paid for. */
export interface MarkedPdf {
  /** Link to the marked PDF. Anyone who has the link can download the file until it expires. */
  url: string;
  expiresAt: Date;
  /** Number of pages. */
  pages: number;
  /** Size of the file in bytes. */
  length: number;
  operation: "watermark.text" | "watermark.image";
  /** Price of the call, such as `0.05 USDC`. */
  cost: string;
  notices: Notice[];
  /** The receipt of the payment. Undefined if a check of the receipt failed. */
  receipt: Receipt | undefined;
  /** Reason why `receipt` is undefined. The result is paid for and valid. */
  receiptFault: string | undefined;
  /** Key with which the same call can be repeated without a second payment, until the link expires. */
  idempotencyKey: string;
  /** Downloads the marked PDF as a stream. The stream fails if the file is incomplete or not the one in the receipt. */
  stream(): ReadableStream<Uint8Array<ArrayBuffer>>;
  /** Downloads the marked PDF into memory. A broken download is repeated up to twice. */
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
}

/** The file of a result. */
interface Output {
  url: string;
  length: number;
  /** SHA-256 in the signed receipt, in hexadecimal. */
  sha256: string | undefined;
  /** The deployment that returned the link. */
  origin: URL;
}

/** Maximum number of attempts to download a file into memory. */
const ATTEMPTS = 3;
/** Time limit of a download in seconds. */
const DOWNLOAD_SECONDS = 3600;

/** Parses the header `Overprint-Notice`. */
export function noticesIn(header: string | null): Notice[] {
  return (header?.split(", ") ?? []).map((notice) => {
    const [, code = notice, pages] = /^([^;]*)(?:;pages="([^"]*)")?$/.exec(notice) ?? [];
    return { code: code as NoticeCode, pages, message: noticeText(notice) };
  });
}

/** Returns the functions that download a file. */
export function downloadsOf(output: Output): Pick<MarkedPdf, "stream" | "bytes"> {
  return {
    stream() {
      const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>();
      checkedBody(output)
        .then((body) => body.pipeTo(writable))
        .catch((error) => writable.abort(error).catch(() => {}));
      return readable;
    },
    async bytes() {
      for (let attempt = 1; ; attempt++) {
        try {
          return new Uint8Array(await new Response(await checkedBody(output)).arrayBuffer());
        } catch (error) {
          const { code = "unreachable" } = error as { code?: string };
          if (attempt === ATTEMPTS || !/^(unreachable|download_wrong|http_5..)$/.test(code)) throw error;
        }
      }
    },
  };
}

/** Requests a file, and returns its bytes. The stream fails if the length or the hash is wrong. */
async function checkedBody({ url, length, sha256, origin }: Output): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  if (!isTrusted(url, origin))
    throw new OverprintError("download_wrong", "The link of the result does not use https and was not opened.");
  const answer = await send(url, {}, DOWNLOAD_SECONDS);
  if (!answer.ok || !answer.body) throw await errorIn(answer);
  const wrong = (message: string) => new OverprintError("download_wrong", message);
  let received = 0;
  let hash = "";
  return whole(answer.body)
    .pipeThrough(
      hashing((hex) => {
        hash = hex;
      }),
    )
    .pipeThrough(
      new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
        transform(chunk, controller) {
          received += chunk.length;
          if (received > length) throw wrong(`The file is longer than ${length} bytes. Download it again.`);
          controller.enqueue(chunk);
        },
        flush() {
          if (received !== length) throw wrong(`Only ${received} of ${length} bytes arrived. Download the file again.`);
          if (sha256 !== undefined && hash !== sha256)
            throw wrong("The file differs from the one that the signed receipt names. Ask the operator.");
        },
      }),
    );
}

/** Returns the stream. If it breaks off, the returned stream fails with an OverprintError. */
function whole(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read().catch((cause: Error) => {
        const message = `The download broke off: ${cause.message}. Download the file again.`;
        throw new OverprintError("download_wrong", message, { cause });
      });
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
