/** Sends a large file to the upload page's address in parts. Continues an upload whose earlier parts are stored. */
import { type PartRange, partRanges } from "../src/shared/partRanges.ts";
import { sendParts } from "../src/shared/sendParts.ts";
import { sha256 } from "./buying/order.ts";
import { send } from "./send.ts";

const PARTS = `${location.pathname}/parts`;

/** A part that the service has stored. */
interface Stored {
  number: number;
  sha256: string;
}

/** Thrown if the chosen file differs from the stored parts. */
export class OtherFile extends Error {}

/** Returns the parts that the service has stored. @throws TypeError if no answer arrives */
export async function storedParts(): Promise<Stored[]> {
  const answer = await fetch(PARTS);
  if (!answer.ok) return [];
  return ((await answer.json()) as { parts: Stored[] }).parts;
}

/**
 * Sends the missing parts of a file and completes the upload.
 * @param onProgress called with the uploaded share, from 0 to 1
 * @throws OtherFile
 * @throws TypeError if no answer arrives
 */
export async function sendInParts(
  file: File,
  partBytes: number,
  onProgress: (share: number) => void,
): Promise<Response> {
  const stored = new Map((await storedParts()).map(({ number, sha256 }) => [number, sha256]));
  const ranges = partRanges(file.size, partBytes);
  const missing: PartRange[] = [];
  let bytes = 0;
  for (const range of ranges) {
    const digest = stored.get(range.number);
    if (digest === undefined) missing.push(range);
    else if (await differs(file.slice(range.start, range.end), digest)) throw new OtherFile();
    else bytes += range.end - range.start;
  }
  onProgress(bytes / file.size);
  return sendParts(missing, {
    async send({ number, start, end }) {
      const headers = { "Content-Type": "application/octet-stream" };
      const answer = await send("PUT", `${PARTS}/${number}`, file.slice(start, end), headers, {
        onProgress: (share) => onProgress((bytes + share * (end - start)) / file.size),
      });
      if (answer.ok || answer.status === 409) bytes += end - start;
      return answer;
    },
    complete: () => fetch(`${location.pathname}/complete`, { method: "POST" }),
  });
}

/**
 * Returns whether the SHA-256 of a part differs from `digest`. Returns false on pages without https, where browsers
 * cannot compute the SHA-256.
 */
async function differs(part: Blob, digest: string): Promise<boolean> {
  return isSecureContext && (await sha256(await part.arrayBuffer())) !== digest;
}
