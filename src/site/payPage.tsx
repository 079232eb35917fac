import type { FieldValue } from "../service/request/fieldKinds.ts";
import { Checkout } from "./checkout.tsx";
import { Document } from "./document.tsx";
import { LABELS, valueInWords } from "./fieldWords.ts";
import { Masthead } from "./frame.tsx";

/** The facts about a payment link that its page shows. */
export interface PayPageProps {
  isPaid: boolean;
  /** The data from which the page draws a preview. Undefined if the page shows no preview. */
  preview: PayPagePreview | undefined;
  /** Path of the files for the preview, without the name of the field. */
  previewPath: string;
  /** Path to which the page sends the paid call. */
  path: string;
  /** Summary of the product. */
  summary: string;
  fields: Readonly<Record<string, unknown>>;
  price: string;
  /** Time at which the payment link expires, in Unix milliseconds. */
  expires: number;
  developmentKey: string | undefined;
}

interface PayPagePreview {
  operation: "text" | "image";
  /** The settings of the mark, without files. */
  settings: Readonly<Record<string, unknown>>;
  /** The name of each uploaded file. A name may be empty. */
  files: Readonly<Partial<Record<string, string>>>;
  maxPages: number;
  maxPixels: number;
}

/** Fields whose values the page does not show. */
const HIDDEN = new Set(["password"]);
const FILES = new Set(["file", "image"]);

/**
 * The page of a payment link, where a person pays for a call that an agent has prepared. `web/pay.ts` is the page's
 * client script.
 */
export function PayPage(props: PayPageProps) {
  const { path, summary, fields, price, expires, developmentKey, preview, previewPath, isPaid } = props;
  const settings = Object.entries(fields).filter(([name]) => !FILES.has(name));
  return (
    <Document
      title="Overprint: pay for a watermarked PDF"
      description="Pay for a watermarked PDF that an assistant has prepared."
      styles="site"
      script="/assets/pay.js"
      unlisted
    >
      <Masthead />
      <main
        class="pay"
        data-path={path}
        data-name={resultNameOf(fields, preview?.files.file)}
        data-paid={isPaid ? "" : undefined}
      >
        <h1>Pay for a watermarked PDF</h1>
        <p class="lead">An assistant has prepared this call for you. It gets the result, too. {summary}.</p>
        <dl class="facts">
          {[...FILES].map((name) =>
            fields[name] === undefined ? null : (
              <>
                <dt>{name === "file" ? "PDF" : "Image"}</dt>
                <dd>
                  <bdi>{describeFile(fields[name], preview?.files[name])}</bdi>
                </dd>
              </>
            ),
          )}
          {settings.map(([name, value]) => (
            <>
              <dt>{LABELS[name] ?? name}</dt>
              <dd>
                <bdi>{HIDDEN.has(name) ? "(not shown)" : valueInWords(name, value as FieldValue)}</bdi>
              </dd>
            </>
          ))}
          <dt>Price</dt>
          <dd>{price}</dd>
          <dt>Payable until</dt>
          <dd>
            <time datetime={new Date(expires).toISOString()}>{new Date(expires).toISOString().slice(11, 16)} UTC</time>
          </dd>
        </dl>
        <figure class="first-page">
          {preview && (
            <div id="preview" data-path={previewPath} data-job={JSON.stringify(preview)}>
              <noscript>The preview needs JavaScript.</noscript>
            </div>
          )}
          <figcaption>
            <p id="preview-status" role="status">
              {isPaid
                ? "This link was already paid. Do not pay again. Only the payer and the assistant can get the file."
                : preview
                  ? "The preview is being drawn …"
                  : "There is no preview. You see the mark in the PDF that you get."}
            </p>
          </figcaption>
        </figure>
        <Checkout price={price} maxBytes={1} developmentKey={developmentKey}>
          <p>
            <strong id="purchase-title">The marked PDF costs {price}.</strong> Pay with a crypto wallet in this browser.
            If the call fails, nothing is charged. The link is sold once.
          </p>
        </Checkout>
      </main>
    </Document>
  );
}

/**
 * Describes where a file is: the host and the name of a URL, without its query, or an upload.
 * @param uploaded the name of the uploaded file, if known
 */
function describeFile(value: unknown, uploaded: string | undefined): string {
  const text = String(value);
  if (text.startsWith("upload:")) return uploaded ? `${uploaded} (uploaded)` : "an uploaded file";
  return `${nameOf(value, undefined)} from ${new URL(text).host}`;
}

/** Returns the name of the result for the receipt. */
function resultNameOf({ filename, file }: PayPageProps["fields"], uploaded: string | undefined): string {
  return filename === undefined ? nameOf(file, uploaded) : String(filename).replace(/(\.pdf)?$/i, ".pdf");
}

/** Returns the name of a file. */
function nameOf(value: unknown, uploaded: string | undefined): string {
  const text = String(value);
  if (text.startsWith("upload:")) return uploaded || "The uploaded PDF";
  const { pathname, host } = new URL(text);
  const last = pathname.split("/").at(-1)!;
  try {
    return decodeURIComponent(last) || host;
  } catch {
    return last || host;
  }
}
