import { spawn } from "node:child_process";
import { dirname } from "node:path";
import { freePort, WRANGLER } from "./worker.ts";

const ATTEMPTS = 60;
const WAIT_MS = 500;

/**
 * Starts a Worker with wrangler, posts a body to it, and stops it. Returns the body of the answer.
 * @param config path of the Worker's wrangler.toml
 * @throws Error if the Worker does not answer with success
 */
export async function postToWorker(config: string, body: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const [port, inspectorPort] = [await freePort(), await freePort()];
  const ports = ["--ip", "127.0.0.1", "--port", String(port), "--inspector-port", String(inspectorPort)];
  const child = spawn(process.execPath, [WRANGLER, "dev", "--config", config, ...ports], {
    cwd: dirname(config),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let log = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text: Buffer) => (log += text));
  try {
    for (let attempt = 0; attempt < ATTEMPTS && child.exitCode === null; attempt++) {
      // a request may fail, because wrangler aborts requests that arrive before it has bundled the Worker
      const answer = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body })
        .then(async (response) => ({ ok: response.ok, bytes: new Uint8Array(await response.arrayBuffer()) }))
        .catch(() => undefined);
      if (answer?.ok) return answer.bytes;
      log += answer ? Buffer.from(answer.bytes).toString() : "";
      await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
    }
    throw new Error(`the Worker does not answer: ${log.slice(-600)}`);
  } finally {
    child.kill();
  }
}
