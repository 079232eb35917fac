import { SITEMAP } from "../service/about/catalogs.ts";
import { FILES } from "../storage/link.ts";

/** Returns `/robots.txt`: robots may read everything except callers' files. */
export function robots(origin: string): string {
  return `User-agent: *\nDisallow: ${FILES}/\n\nSitemap: ${origin}${SITEMAP}\n`;
}
