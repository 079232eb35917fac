import { version } from "../../package.json";
import { ICON } from "../service/about/discovery.ts";

/** Name, title and version as told to clients and registries. */
export const SERVER = { name: "overprint", title: "Overprint", version };

/** Returns the service's icon as MCP has it. Clients must take PNG, and should take SVG. */
export function iconsOf(origin: string) {
  return [
    { src: `${origin}/assets/icon.png`, mimeType: "image/png", sizes: ["128x128"] },
    { src: origin + ICON, mimeType: "image/svg+xml", sizes: ["any"] },
  ];
}
