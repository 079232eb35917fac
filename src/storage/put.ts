/**
 * Puts what `write` writes, which has to be `length` bytes: R2 takes streams of known length only.
 * @throws what `write` throws, and nothing is stored then
 */
export async function putWritten(
  bucket: R2Bucket,
  key: string,
  length: number,
  write: (stream: WritableStream<Uint8Array>) => Promise<void>,
  options: R2PutOptions = {},
): Promise<R2Object> {
  const body = new FixedLengthStream(length);
  const [written, stored] = await Promise.allSettled([write(body.writable), bucket.put(key, body.readable, options)]);
  // where writing fails, that is the reason, and not what it does to the storing
  if (written.status === "rejected") throw written.reason;
  if (stored.status === "rejected") throw stored.reason;
  return stored.value;
}
