/** Uploads a large file in parts. */
import * as z from "zod";
import { partRanges } from "../src/shared/partRanges.ts";
import { sendParts } from "../src/shared/sendParts.ts";
import { refusalIn, request } from "./deployment.ts";
import type { Progress } from "./progress.ts";

/** The URLs of an upload's parts, in the answer to a request for an upload. */
export const partsAnswer = z.object({ bytes: z.int().min(1), urls: z.array(z.string()), complete: z.string() });

/**
 * Sends a file in parts and completes the upload. Repeats a part if the connection breaks.
 * @throws Failure if the deployment cannot be reached or rejects the file
 */
export async function uploadInParts(
  file: File,
  { bytes, urls, complete }: z.output<typeof partsAnswer>,
  progress: Progress,
): Promise<void> {
  const answer = await sendParts(partRanges(file.size, bytes), {
    async send({ number, start, end }) {
      const headers = { "Content-Type": "application/octet-stream" };
      const sent = await request(urls[number - 1]!, { method: "PUT", headers, body: file.slice(start, end) });
      if (sent.ok) progress.add(end - start);
      return sent;
    },
    complete: () => request(complete, { method: "POST" }),
  });
  if (!answer.ok) throw await refusalIn(answer);
}
