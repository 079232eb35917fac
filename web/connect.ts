/** Client script of the page about the MCP server. */
import { enableCopying } from "./copying.ts";

enableCopying();
