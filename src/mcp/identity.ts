import { version } from "../../package.json";
import { ICON } from "../service/sale/serviceMetadata.ts";

/** Name, title and version for clients and registries. */
export const SERVER = { name: "overprint", title: "Overprint", version };

/** Returns the service's icons in the MCP format. Clients must support PNG and should support SVG. */
export function iconsOf(origin: string) {
  return [
    { src: `${origin}/assets/icon.png`, mimeType: "image/png", sizes: ["128x128"] },
    { src: origin + ICON, mimeType: "image/svg+xml", sizes: ["any"] },
  ];
}
