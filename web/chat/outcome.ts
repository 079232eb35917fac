import type { Bought } from "../buying/attempts.ts";

/** How a payment was settled (x402 version 2, `SettleResponse`). */
export interface Settlement {
  transaction?: string;
  network?: string;
  payer?: string;
  /** Why it was not. */
  errorReason?: string;
}

/** What has become of a call: the file, or why its payment was not taken (empty if none came), or why there is no file. */
export type Outcome =
  | { bought: Bought; name: string; settlement: Settlement }
  | { unpaid: string }
  | { refused: string };

/** A tool's result (MCP, `CallToolResult`), of which a host may pass on less than it got. */
export interface ToolResult {
  content?: { type?: string; text?: string; name?: string }[];
  structuredContent?: Partial<Bought> & { x402Version?: number };
  _meta?: { "x402/payment-response"?: Settlement };
}

/** Reads a tool's result. A link counts as one if it is below `files`, where links are. */
export function outcomeOf({ content = [], structuredContent, _meta }: ToolResult, files: string): Outcome {
  const { output, cost = "", x402Version } = structuredContent ?? {};
  const settlement = _meta?.["x402/payment-response"] ?? {};
  if (output && String(output.url).startsWith(`${files}/`)) {
    const name = content.find(({ type }) => type === "resource_link")?.name ?? "The PDF";
    return { bought: { output, cost }, name, settlement };
  }
  if (x402Version !== undefined) return { unpaid: settlement.errorReason ?? "" };
  const words = content.find(({ type }) => type === "text")?.text ?? "The call has failed.";
  return { refused: detailIn(words) ?? words };
}

/** Returns what a problem says (RFC 9457), if a text is one. */
function detailIn(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { detail?: string } | null)?.detail;
  } catch {
    return undefined;
  }
}
