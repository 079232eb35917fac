import { type Delivery, type Surroundings, watermarkImage, watermarkText } from "../operation.ts";
import type { Goods } from "../payments/gate.ts";
import { type ImageRequest, imageRequest, type Result, type TextRequest, textRequest } from "../schemas.ts";

/** An operation as it is sold. */
export interface Product {
  operation: Result["operation"];
  /** Where it is bought over HTTP. */
  path: string;
  /** What it is called as an MCP tool. */
  tool: string;
  summary: string;
  schema: typeof textRequest | typeof imageRequest;
  /** A request it takes, for discovery services. */
  example: Record<string, unknown>;
  run(request: TextRequest | ImageRequest, surroundings: Surroundings): Promise<Goods<Delivery>>;
}

/** Everything that is sold, over HTTP and MCP alike. */
export const PRODUCTS: readonly Product[] = [
  {
    operation: "watermark.text",
    path: "/v1/watermark/text",
    tool: "add_text_watermark",
    summary: "Lay a text over every page of a PDF",
    schema: textRequest,
    example: { file: "https://example.com/contract.pdf", text: "CONFIDENTIAL", template: "diagonal" },
    run: (request, surroundings) => watermarkText(request as TextRequest, surroundings),
  },
  {
    operation: "watermark.image",
    path: "/v1/watermark/image",
    tool: "add_image_watermark",
    summary: "Lay an image over every page of a PDF",
    schema: imageRequest,
    example: {
      file: "https://example.com/contract.pdf",
      image: "https://example.com/logo.png",
      position: "bottom-right",
      scale: 0.2,
    },
    run: (request, surroundings) => watermarkImage(request as ImageRequest, surroundings),
  },
];
