import { env } from "cloudflare:workers";

/** Returns a file of `fonts/`, like the Worker's font loader. */
export async function loadFont(path: string): Promise<Uint8Array> {
  const response = await env.ASSETS.fetch(`https://assets.local/fonts/${path}`);
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}
