import { RunningSha256 } from "../shared/sha256.ts";
import { type ReceiveLimits, receive } from "./receive.ts";
import { HEAD_LENGTH } from "./sniff.ts";
import { Upload } from "./upload.ts";

/**
 * Receives and hashes an uploaded file. Calls `inspect` with the first {@link HEAD_LENGTH} bytes, unless the file is
 * shorter. An error that `inspect` throws ends the transfer.
 * @param atMost upper bound of the size in bytes, if known
 * @param expected the likely size in bytes. If `expected` exceeds the memory limit, the file is stored from its first
 * byte on. Otherwise, memory is reserved only for bytes that have arrived.
 * @param name the file's name, if the caller sent one
 */
export async function receiveUpload(
  chunks: AsyncIterable<Uint8Array>,
  limits: ReceiveLimits,
  inspect: (head: Uint8Array) => void,
  atMost?: number,
  expected = 0,
  name?: string,
): Promise<Upload> {
  const hash = new RunningSha256();
  const received = await receive(
    hash.of(
      (async function* () {
        let head = new Uint8Array();
        for await (const chunk of chunks) {
          if (head.length < HEAD_LENGTH) {
            head = Buffer.concat([head, chunk.subarray(0, HEAD_LENGTH - head.length)]);
            if (head.length === HEAD_LENGTH) inspect(head);
          }
          yield chunk;
        }
      })(),
    ),
    limits,
    expected > limits.inMemoryBytes ? expected : 0,
    atMost,
  );
  return new Upload(received, await hash.end(), name);
}
