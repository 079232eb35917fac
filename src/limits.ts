import type { Config } from "./config.ts";

/** What a call may ask of this deployment. */
export function limitsOf(config: Config) {
  return {
    max_file_bytes: config.maxSourceBytes,
    max_image_bytes: config.maxImageBytes,
    max_image_pixels: config.maxImagePixels,
    max_pages: config.maxPages,
    max_request_bytes: config.maxBodyBytes,
    link_seconds: config.linkTtlSeconds,
  };
}
