import type * as z from "zod";
import type { Notice } from "../../engine/index.ts";
import type { WorkResult } from "../../payments/sale/gate.ts";
import type { Price } from "../../payments/wire/price.ts";
import type { Config } from "../../settings/config.ts";
import type { Problem } from "../../shared/problems.ts";
import { fieldMessage } from "../request/fieldMessages.ts";
import { fingerprintOf } from "../request/fingerprint.ts";
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
import type { CallContext } from "./callContext.ts";
import { type Marked, type Proof, watermarkImage, watermarkText } from "./watermark.ts";

/** The result of a paid call. */
export interface Delivery {
  result: Result;
  notices: readonly Notice[];
  /** The name it is saved under. */
  filename: string;
  /** What its receipt is signed for, where receipts are. Hashes are in hexadecimal. */
  proof?: Proof;
}

/** A request whose fields have been checked, to be run once its payment has verified. */
export interface AcceptedRequest {
  /** See {@link fingerprintOf}. */
  fingerprint(): Promise<string>;
  /**
   * Does the work and stores the output. Nothing stays stored if it throws.
   * @throws Problem if a file cannot be received or the call is cancelled
   * @throws EngineError if the file, the image or the text cannot be used
   */
  run(call: CallContext): Promise<WorkResult<Delivery>>;
}

/** An operation as it is sold. */
export interface Product {
  operation: Operation;
  /** Its path over HTTP. */
  path: string;
  /** Its name as an MCP tool. */
  tool: string;
  /** What it does, in a few words. */
  summary: string;
  /** The same for indexes to search and models to choose by: at most 200 characters. */
  description: string;
  /** An example request, for discovery services. */
  example: Record<string, unknown>;
  /** The schemas of its requests, as JSON and as a form, made when they are first read. */
  readonly schemas: Readonly<Record<RequestFormat, z.ZodObject>>;
  /** What a call costs in a deployment: the one place that the offer, the result and every description have it from. */
  price(config: Config): Price;
  /**
   * Checks the fields of a request.
   * @param tooLong says that one of them is too long, and that only its beginning is here
   * @throws Problem invalid_request with one entry in `errors` per wrong field, or `tooLong` if there is none
   */
  accept(fields: unknown, format: RequestFormat, tooLong?: Problem): AcceptedRequest;
}

/** How a request's fields were sent. In a form, numbers are text, and files can be uploads. */
type RequestFormat = "json" | "form";

const deploymentPrice = ({ price }: Config): Price => price;

/** Everything that is sold, over both HTTP and MCP. */
export const PRODUCTS: readonly Product[] = [
  defineProduct(
    {
      operation: "watermark.text",
      path: "/v1/watermark/text",
      tool: "add_text_watermark",
      summary: "Watermark every page of a PDF with a text",
      description:
        "Watermark a PDF: lay a text over every page, in any script, as a diagonal stamp, tiles, a header or a footer. Gives a link to the marked PDF.",
      example: { file: "https://example.com/contract.pdf", text: "CONFIDENTIAL", template: "diagonal" },
      price: deploymentPrice,
    },
    { json: textRequest, form: textForm },
    { json: textRead, form: textForm },
    watermarkText,
  ),
  defineProduct(
    {
      operation: "watermark.image",
      path: "/v1/watermark/image",
      tool: "add_image_watermark",
      summary: "Watermark every page of a PDF with an image",
      description:
        "Watermark a PDF: lay an image or logo (PNG, JPEG) over every page, at any position, size and opacity. Gives a link to the marked PDF.",
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
  ),
];

/** Returns what a call costs, for people to read: `0.05 USDC`, or each price where products differ. */
export function priceLabel(config: Config): string {
  return priceLabels(config).join(" or ");
}

/** Returns the labels of all prices, each once. */
export function priceLabels(config: Config): string[] {
  return [...new Set(PRODUCTS.map((product) => product.price(config).label))];
}

/** Names the product that has a field, for callers who sent it to another. */
function productWith(field: string): string | undefined {
  const product = PRODUCTS.find(({ schemas }) => Object.hasOwn(schemas.json.shape, field));
  return product && `POST ${product.path} (MCP tool ${product.tool})`;
}

/**
 * Defines a product whose requests `run` carries out.
 * @param checks what a request is checked by, once it has been read
 */
export function defineProduct<R extends { filename: string }>(
  facts: Omit<Product, "schemas" | "accept">,
  schemas: Record<RequestFormat, () => z.ZodObject>,
  checks: Record<RequestFormat, () => z.ZodType<R>>,
  run: (request: R, call: CallContext) => Promise<Marked>,
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
        throw invalidRequest(checked.error.issues, { here, elsewhere: productWith });
      }
      if (tooLong) throw tooLong;
      const request: R = checked.data;
      return {
        fingerprint: () => fingerprintOf(operation, request),
        async run(call) {
          const { output, notices, id, expiresAt, proof } = await run(request, call);
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
