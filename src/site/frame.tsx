import type { Child } from "hono/jsx";
import type { OperatorLinks } from "../settings/config.ts";

/**
 * The page header: the name and the site navigation. Without `links`, the name is plain text and the navigation is
 * omitted.
 */
export function Masthead({ links = true }: { links?: boolean }) {
  return (
    <header class="masthead">
      {links ? (
        <a class="wordmark" href="/" aria-label="Overprint, home">
          <Inks />
          Overprint
        </a>
      ) : (
        <p class="wordmark">
          <Inks />
          Overprint
        </p>
      )}
      {links && (
        <nav aria-label="Site">
          <a href="/#playground">Playground</a>
          <a href="/#templates">Templates</a>
          <a href="/#paying">Paying</a>
          <a href="/docs">Reference</a>
        </nav>
      )}
    </header>
  );
}

function Inks() {
  return (
    <svg viewBox="0 0 34 22" width="34" height="22" aria-hidden="true">
      <circle class="cyan" cx="11" cy="11" r="10" />
      <circle class="magenta" cx="23" cy="11" r="10" />
    </svg>
  );
}

/** Labels of the operator's links, in display order. */
const LABELS = [
  ["terms", "Terms"],
  ["privacy", "Privacy"],
  ["imprint", "Imprint"],
  ["status", "Status"],
  ["source", "Source"],
] as const;

/**
 * The page footer: links to machine-readable descriptions and to the operator's pages, followed by the page's own
 * `children`.
 */
export function Footer({ links, children }: { links: OperatorLinks; children?: Child }) {
  return (
    <footer>
      <p>Overprint is a printing term: to print on top of a finished sheet.</p>
      <nav aria-label="Reference">
        <a href="/docs">API reference</a>
        <a href="/openapi.json">OpenAPI</a>
        <a href="/llms.txt">llms.txt</a>
        <a href="/docs/errors">Errors</a>
        <a href="/docs/limits">Limits</a>
        <a href="/changelog">Changelog</a>
        <a href="/retention">Retention</a>
        {LABELS.map(([name, label]) => links[name] && <a href={links[name]}>{label}</a>)}
        {children}
      </nav>
    </footer>
  );
}
