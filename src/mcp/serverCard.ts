import { publishedLinks } from "../service/about/catalogs.ts";
import { summaryOf } from "../service/about/guide.ts";
import type { Config } from "../settings/config.ts";
import { SERVER } from "./identity.ts";

/**
 * The supported MCP revisions. A client of an older revision also works if its revision is compatible with a supported
 * one.
 */
const PROTOCOL_VERSIONS = ["2026-07-28", "2025-11-25", "2025-06-18"];

/** Returns the document that a client reads before it connects (MCP extension "server card", SEP-2127). */
export function serverCard(origin: string, config: Config) {
  const { hostname } = new URL(origin);
  const namespace = hostname.split(".").toReversed().join(".");
  return {
    $schema: "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
    name: `${namespace}/${SERVER.name}`,
    title: SERVER.title,
    version: SERVER.version,
    description: summaryOf(config),
    _meta: { [`${namespace}/links`]: publishedLinks(origin, config) },
    remotes: [{ type: "streamable-http", url: `${origin}/mcp`, supportedProtocolVersions: PROTOCOL_VERSIONS }],
  };
}
