/**
 * Schemas of uploads: the request for an upload, the answer with its URL, and the answer after the file is received.
 */
import * as z from "zod";
import { UPLOADS } from "../../settings/limits.ts";
import { once } from "../../shared/once.ts";
import { plainName } from "./schemas.ts";

/** Path where uploads are created. The file of an upload is sent to this path with the upload's id appended. */
export const UPLOADS_PATH = "/v1/uploads";

/** Body of `POST /v1/uploads`. */
export const uploadRequest = once(() =>
  z.strictObject({
    name: plainName().optional().describe("The file's name."),
    size: z
      .int()
      .min(1)
      .optional()
      .describe(
        `The exact length of the file in bytes. Without it, the file may have up to ${UPLOADS.freeBytes} bytes.`,
      ),
    type: z
      .enum(["pdf", "image"], "must be pdf or image")
      .default("pdf")
      .describe("The kind of file. Its first bytes are checked."),
  }),
);

/** An example of a request for an upload. */
export const UPLOAD_EXAMPLE = { name: "contract.pdf", size: 18211, type: "pdf" };

/** Schema of the answer to {@link uploadRequest}. */
export const uploadOffer = once(() =>
  z.strictObject({
    handle: z.string().describe("The value for `file` or `image` once the file has been sent. Keep it secret."),
    upload: z
      .strictObject({
        transport: z.literal("https"),
        method: z.literal("PUT"),
        url: z.url(),
        headers: z.record(z.string(), z.string()),
      })
      .describe(
        "The HTTP request that sends the file as its body. Send it once. In a browser, the URL shows a page to choose the file.",
      ),
    parts: z
      .strictObject({
        bytes: z.int().min(1).describe("Length of each part, except the last part."),
        urls: z
          .array(z.url())
          .describe("The URLs of the parts in order. PUT each part to its URL, in any order, with its Content-Length."),
        status: z.url().describe("GET lists the stored parts."),
        complete: z.url().describe("POST joins the parts to the file."),
      })
      .optional()
      .describe("The same upload in parts. Use parts if the server accepts no body as long as the file."),
    curl: z.string().describe("The same upload as a shell command. Replace the path with that of the file."),
    expires_at: z.iso
      .datetime()
      .describe("When the upload expires. Until then you can send the file, and use its handle any number of times."),
  }),
);

/** Schema of a stored part. */
export const uploadedPart = once(() =>
  z.strictObject({
    number: z.int().min(1).describe("Number of the part. The first part is 1."),
    bytes: z.int().min(1),
    sha256: z.string().describe("SHA-256 of the part, in hexadecimal."),
  }),
);

/** Schema of the list of an upload's stored parts. */
export const uploadedParts = once(() =>
  z.strictObject({
    bytes: z.int().min(1).describe("Length of each part, except the last part."),
    count: z.int().min(1).describe("Number of parts of the whole file."),
    parts: z.array(uploadedPart()).describe("The stored parts, in the order of their numbers."),
    complete: z.boolean().describe("Whether the upload has its file."),
    expires_at: z.iso.datetime(),
  }),
);

/** Schema of the answer after an upload in parts is completed. */
export const uploadPartsReceipt = once(() =>
  z.strictObject({
    bytes: z.int().min(1),
    parts_sha256: z
      .string()
      .describe(
        "SHA-256 over the binary SHA-256 digests of the parts in order, in hexadecimal. It identifies the file.",
      ),
    expires_at: z.iso.datetime(),
  }),
);

/** Schema of the answer after a file is received. */
export const uploadReceipt = once(() =>
  z.strictObject({
    bytes: z.int().min(1),
    sha256: z.string().describe("SHA-256 of the received file, in hexadecimal."),
    expires_at: z.iso.datetime(),
  }),
);
