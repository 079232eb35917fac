import { env } from "cloudflare:workers";

/** Reads a font file from the folder `fonts/`, in place of the Worker's font loader. */
export async function loadFont(path: string): Promise<Uint8Array> {
  const response = await env.ASSETS.fetch(`https://assets.local/fonts/${path}`);
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}
