import { env } from "cloudflare:workers";

/** Gives a file of `fonts/`, as the Worker does. */
export async function loadFont(path: string): Promise<Uint8Array> {
  const response = await env.ASSETS.fetch(`https://assets.local/fonts/${path}`);
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}
