import type { Child } from "hono/jsx";

/** A page of the site, as a whole document. */
export function Document({ title, description, children }: { title: string; description: string; children: Child }) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>{title}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="description" content={description} />
        <meta name="color-scheme" content="light dark" />
        <link rel="icon" href="/assets/pictures/icon.svg" type="image/svg+xml" />
        <link
          rel="preload"
          href="/assets/schibsted-grotesk.woff2"
          as="font"
          type="font/woff2"
          crossorigin="anonymous"
        />
        <link rel="stylesheet" href="/assets/site.css" />
        <link rel="service-desc" href="/openapi.json" type="application/json" />
        <link rel="alternate" href="/llms.txt" type="text/plain" title="For language models" />
        <script type="module" src="/assets/playground.js" />
      </head>
      <body>{children}</body>
    </html>
  );
}
