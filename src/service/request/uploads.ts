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
    curl: z.string().describe("The same request as a shell command. Replace the path with that of the file."),
    expires_at: z.iso
      .datetime()
      .describe("When the upload expires. Until then you can send the file, and use its handle any number of times."),
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
