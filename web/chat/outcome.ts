import type { Bought } from "../buying/attempts.ts";

/** The settlement of a payment (x402 version 2, `SettleResponse`). */
export interface Settlement {
  transaction?: string;
  network?: string;
  payer?: string;
  /** Why the payment was not settled. */
  errorReason?: string;
}

/**
 * The outcome of a call: a file, an error, or the reason why the payment was not accepted. The reason is empty if no
 * payment was sent.
 */
export type Outcome =
  | { bought: Bought; name: string; settlement: Settlement }
  | { unpaid: string }
  | { refused: string };

/** A tool's result (MCP, `CallToolResult`). A host may pass on only parts of it. */
export interface ToolResult {
  content?: { type?: string; text?: string; name?: string }[];
  structuredContent?: Partial<Bought> & { x402Version?: number };
  _meta?: { "x402/payment-response"?: Settlement };
}

/** Parses a tool's result. Accepts a link only if it lies under `files`, the URL of result links. */
export function outcomeOf({ content = [], structuredContent, _meta }: ToolResult, files: string): Outcome {
  const { output, cost = "", x402Version } = structuredContent ?? {};
  const settlement = _meta?.["x402/payment-response"] ?? {};
  if (output && String(output.url).startsWith(`${files}/`)) {
    const name = content.find(({ type }) => type === "resource_link")?.name ?? "The PDF";
    return { bought: { output, cost }, name, settlement };
  }
  if (x402Version !== undefined) return { unpaid: settlement.errorReason ?? "" };
  const words = content.find(({ type }) => type === "text")?.text ?? "The call failed.";
  return { refused: detailIn(words) ?? words };
}

/** Returns the detail of a problem (RFC 9457), or undefined if the text is not a problem. */
function detailIn(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { detail?: string } | null)?.detail;
  } catch {
    return undefined;
  }
}
