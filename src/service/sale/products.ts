import type * as z from "zod";
import type { Notice } from "../../engine/index.ts";
import type { WorkResult } from "../../payments/sale/saleTerms.ts";
import type { Price } from "../../payments/wire/price.ts";
import type { Config } from "../../settings/config.ts";
import type { FieldError, Problem } from "../../shared/problems.ts";
import { fieldMessage } from "../request/fieldMessages.ts";
import { digestOf, type FileHashes, fingerprintOf, hashesOf } from "../request/fingerprint.ts";
import { invalidRequest } from "../request/invalidRequest.ts";
import {
  imageForm,
  imageRead,
  imageRequest,
  type Operation,
  type Result,
  textForm,
  textRead,
  textRequest,
} from "../request/schemas.ts";
import { typedFields } from "../request/typedFields.ts";
import type { CallContext, Exchange } from "./callContext.ts";
import { precheckImage, precheckText } from "./precheck.ts";
import { type ContentDigest, type Marked, type Proof, watermarkImage, watermarkText } from "./watermark.ts";

/** The result of a paid call. */
export interface Delivery {
  result: Result;
  notices: readonly Notice[];
  /** File name of the result. */
  filename: string;
  /** The facts that the result's receipt proves, if receipts are signed. Hashes are in hexadecimal. */
  proof?: Proof;
}

/** A validated request, ready to run once its payment is verified. */
export interface AcceptedRequest {
  /** Returns the request's fingerprint, see {@link fingerprintOf}. */
  fingerprint(): Promise<string>;
  /**
   * Returns the digest of the request's content, see {@link digestOf}. Returns undefined if a file has to be fetched
   * first.
   * @param date the date that the mark shows
   */
  digest(date: Date): Promise<string | undefined>;
  /**
   * Does the work and stores the output. If an error is thrown, no output remains in storage.
   * @throws Problem if a file cannot be received or the call is canceled
   * @throws EngineError if the file, the image or the text cannot be used
   */
  run(call: CallContext): Promise<WorkResult<Delivery>>;
  /** Returns the errors of `run` that can be detected without reading the files. */
  precheck(exchange: Exchange): Promise<FieldError[]>;
}

/** An operation that callers can buy. */
export interface Product {
  operation: Operation;
  /** HTTP path of the operation. */
  path: string;
  /** Name of the MCP tool that sells the operation. */
  tool: string;
  /** Short summary of the operation's effect. */
  summary: string;
  /** A description for search indexes and models, of at most 200 characters. */
  description: string;
  /** An example request, for discovery services. */
  example: Record<string, unknown>;
  /** Schemas of the operation's requests, as JSON and as a form, created on first use. */
  readonly schemas: Readonly<Record<RequestFormat, z.ZodObject>>;
  /** Price of a call in a deployment. The offer, the result and every description use it. */
  price(config: Config): Price;
  /**
   * Validates the fields of a request.
   * @param tooLong the problem to throw if a field was too long and only its beginning was read
   * @throws Problem invalid_request with one entry in `errors` per wrong field, or `tooLong` if no field is wrong
   */
  accept(fields: unknown, format: RequestFormat, tooLong?: Problem): AcceptedRequest;
}

/** The format of a request's fields. In a form, every field is a text or an uploaded file. */
type RequestFormat = "json" | "form";

const deploymentPrice = ({ price }: Config): Price => price;

/** All products, which are sold over both HTTP and MCP. */
export const PRODUCTS: readonly Product[] = [
  defineProduct(
    {
      operation: "watermark.text",
      path: "/v1/watermark/text",
      tool: "add_text_watermark",
      summary: "Watermark every page of a PDF with a text",
      description:
        "Watermark a PDF: put a text on every page, in any script, as a diagonal stamp, tiles, a header or a footer. Returns a link to the marked PDF.",
      example: { file: "https://example.com/contract.pdf", text: "CONFIDENTIAL", template: "diagonal" },
      price: deploymentPrice,
    },
    { json: textRequest, form: textForm },
    { json: textRead, form: textForm },
    watermarkText,
    precheckText,
  ),
  defineProduct(
    {
      operation: "watermark.image",
      path: "/v1/watermark/image",
      tool: "add_image_watermark",
      summary: "Watermark every page of a PDF with an image",
      description:
        "Watermark a PDF: put an image or logo (PNG, JPEG) on every page, at any position, size and opacity. Returns a link to the marked PDF.",
      example: {
        file: "https://example.com/contract.pdf",
        image: "https://example.com/logo.png",
        position: "bottom-right",
        scale: 0.2,
      },
      price: deploymentPrice,
    },
    { json: imageRequest, form: imageForm },
    { json: imageRead, form: imageForm },
    watermarkImage,
    precheckImage,
  ),
];

/**
 * Returns the price of a call as text, such as `0.05 USDC`. Returns all distinct prices if the products' prices differ.
 */
export function priceLabel(config: Config): string {
  return priceLabels(config).join(" or ");
}

/** Returns the distinct labels of all prices. */
export function priceLabels(config: Config): string[] {
  return [...new Set(PRODUCTS.map((product) => product.price(config).label))];
}

/**
 * Returns the HTTP path and the MCP tool of the product that has a field. The error for a caller who sent the field to
 * another product names this path and tool.
 */
function productWith(field: string): string | undefined {
  const product = PRODUCTS.find(({ schemas }) => Object.hasOwn(schemas.json.shape, field));
  return product && `POST ${product.path} (MCP tool ${product.tool})`;
}

/**
 * Defines a product whose requests are carried out by `run`.
 * @param checks the schemas that validate a request after it is read
 * @param precheck returns the errors of `run` that can be detected without reading the files
 */
export function defineProduct<R extends { filename: string }>(
  facts: Omit<Product, "schemas" | "accept">,
  schemas: Record<RequestFormat, () => z.ZodObject>,
  checks: Record<RequestFormat, () => z.ZodType<R>>,
  run: (request: R, call: CallContext, digest: ContentDigest) => Promise<Marked>,
  precheck: (request: R, exchange: Exchange) => Promise<FieldError[]>,
): Product {
  const { operation } = facts;
  const product: Product = {
    ...facts,
    schemas: {
      get json() {
        return schemas.json();
      },
      get form() {
        return schemas.form();
      },
    },
    accept(fields, format, tooLong) {
      const typed = format === "form" ? typedFields(fields, schemas.form()) : fields;
      const checked = checks[format]().safeParse(typed, { error: fieldMessage });
      if (!checked.success) {
        const here = Object.keys(schemas.json().shape);
        const sent = (field: string) => Object(typed)[field] as unknown;
        throw invalidRequest(checked.error.issues, { here, elsewhere: productWith, sent });
      }
      if (tooLong) throw tooLong;
      const request: R = checked.data;
      let sent: Promise<FileHashes> | undefined;
      // computes the hashes only once, because files may be large
      const sentHashes = () => (sent ??= hashesOf(request));
      return {
        fingerprint: async () => fingerprintOf(operation, request, await sentHashes()),
        precheck: (exchange) => precheck(request, exchange),
        digest: async (date) => digestOf(operation, request, await sentHashes(), { date }),
        async run(call) {
          const digest: ContentDigest = async (fetched, source) =>
            digestOf(operation, request, { ...fetched, ...(await sentHashes()) }, { date: call.date, source });
          const { output, notices, id, expiresAt, proof } = await run(request, call, digest);
          const result = { output, operation, cost: product.price(call.config).label };
          const { pages, bytes } = output;
          return {
            value: { result, notices, filename: request.filename, ...(proof && { proof }) },
            output: id,
            expiresAt,
            facts: { pages, bytes },
          };
        },
      };
    },
  };
  return product;
}
