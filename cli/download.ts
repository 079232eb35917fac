/** Downloads a bought file. */
import { isTrusted } from "../packages/client/http.ts";
import type { Sold } from "../packages/client/paidCall.ts";
import { refusalIn, request, unfinished } from "./deployment.ts";
import { Failure, failureOf } from "./failure.ts";
import type { Io } from "./io.ts";
import { beginWriting, type Target } from "./output.ts";
import { showProgress } from "./progress.ts";

/** Maximum number of attempts to download a file. */
const ATTEMPTS = 3;

/**
 * Downloads a bought file.
 * @param by the deployment that returned the link
 * @throws Failure `unfinished` if the download fails, because the file is already paid for
 */
export async function download(
  { url, bytes, expires_at }: Sold["output"],
  by: URL,
  target: Target,
  io: Io,
): Promise<void> {
  const rest = `the file is at ${url} until ${expires_at}`;
  if (!isTrusted(url, by))
    throw unfinished("link_not_followed", `you have paid, but the link does not use https and was not opened: ${rest}`);
  // tries only once for a pipe, because bytes already written to a pipe cannot be replaced
  let attempts = target.isFile ? ATTEMPTS : 1;
  for (;;) {
    try {
      return await downloadOnce(url, bytes, target, io);
    } catch (error) {
      if (--attempts > 0) continue;
      const { message } = failureOf(error);
      throw unfinished("not_downloaded", `you have paid, but the download failed: ${message}; ${rest}`);
    }
  }
}

async function downloadOnce(url: string, bytes: number, target: Target, io: Io): Promise<void> {
  const answer = await request(url);
  if (!answer.ok) throw await refusalIn(answer);
  const writing = await beginWriting(target, io);
  const progress = showProgress("Downloading", bytes, io);
  try {
    let length = 0;
    for await (const chunk of answer.body!) {
      length += chunk.length;
      if (length > bytes) throw new Failure("too_long", `received more than the expected ${bytes} bytes`);
      await writing.write(chunk);
      progress.add(chunk.length);
    }
    if (length !== bytes) throw new Failure("cut_off", `received only ${length} of ${bytes} bytes`);
  } catch (error) {
    await writing.discard();
    throw error instanceof Failure ? error : new Failure("unreachable", (error as Error).message);
  } finally {
    progress.end();
  }
  await writing.complete();
}
