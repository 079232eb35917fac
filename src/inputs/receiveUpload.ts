import { RunningSha256 } from "../shared/sha256.ts";
import { type ReceiveLimits, receive } from "./receive.ts";
import { HEAD_LENGTH } from "./sniff.ts";
import { Upload } from "./upload.ts";

/**
 * Receives an upload, unless `look` throws at its first bytes.
 * @param atMost how many bytes can come, if that is known
 * @param expected its size, as it seems: too large for memory, it goes to storage from its first byte on. Memory is taken
 * only for what has come.
 */
export async function receiveUpload(
  chunks: AsyncIterable<Uint8Array>,
  limits: ReceiveLimits,
  look: (head: Uint8Array) => void,
  atMost?: number,
  expected = 0,
): Promise<Upload> {
  const hash = new RunningSha256();
  const received = await receive(
    hash.of(
      (async function* () {
        let head = new Uint8Array();
        for await (const chunk of chunks) {
          if (head.length < HEAD_LENGTH) {
            head = Buffer.concat([head, chunk.subarray(0, HEAD_LENGTH - head.length)]);
            if (head.length === HEAD_LENGTH) look(head);
          }
          yield chunk;
        }
      })(),
    ),
    limits,
    expected > limits.inMemoryBytes ? expected : 0,
    atMost,
  );
  return new Upload(received, await hash.end());
}
