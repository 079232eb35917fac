import type { Child } from "hono/jsx";
import { ICON } from "../service/sale/serviceMetadata.ts";

interface DocumentFacts {
  title: string;
  description: string;
  /** Name of the page's stylesheet, which the build generates. */
  styles: "site" | "reading";
  /** URL of the page's script, if the page has one. */
  script?: string;
  /** Absolute URL of the page, for messengers and social networks, which show a link to the page with a picture. */
  address?: string;
  /** Whether to ask search engines not to index the page. */
  unlisted?: boolean;
  children: Child;
}

/** The HTML document around a page of the site. */
export function Document({ title, description, styles, script, address, unlisted, children }: DocumentFacts) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>{title}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="description" content={description} />
        <meta name="color-scheme" content="light dark" />
        {unlisted && <meta name="robots" content="noindex" />}
        <link rel="icon" href={ICON} type="image/svg+xml" />
        <link rel="preload" href={TYPEFACE} as="font" type="font/woff2" crossorigin="anonymous" />
        <link rel="stylesheet" href={stylesheet(styles)} />
        {!unlisted && (
          <>
            <link rel="service-desc" href="/openapi.json" type="application/json" />
            <link rel="alternate" href="/llms.txt" type="text/plain" title="For language models" />
          </>
        )}
        {address && (
          <>
            <meta property="og:type" content="website" />
            <meta property="og:title" content={title} />
            <meta property="og:description" content={description} />
            <meta property="og:url" content={address} />
            <meta property="og:image" content={new URL("/assets/card.png", address).href} />
            <meta property="og:image:width" content="1200" />
            <meta property="og:image:height" content="630" />
            <meta name="twitter:card" content="summary_large_image" />
          </>
        )}
        {script && <script type="module" src={script} />}
      </head>
      <body>{children}</body>
    </html>
  );
}

const TYPEFACE = "/assets/schibsted-grotesk.woff2";
const stylesheet = (name: DocumentFacts["styles"]) => `/assets/${name}.css`;

/**
 * All assets that pages without scripts load. A separate file host serves these assets for its error pages, which have
 * no scripts.
 */
export const READING_ASSETS: readonly string[] = [ICON, TYPEFACE, stylesheet("reading")];
