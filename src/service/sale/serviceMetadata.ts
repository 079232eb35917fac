import type { ServiceMetadata } from "../../payments/wire/offer.ts";

/** Path of the service's icon. */
export const ICON = "/favicon.svg";

/** Returns the name, tags and icon that indexes show. */
export function serviceMetadata(origin: string): ServiceMetadata {
  return { serviceName: "Overprint", tags: ["pdf", "watermark", "stamp", "logo"], iconUrl: origin + ICON };
}
