import type { OperatorLinks } from "../settings/config.ts";
import { Document } from "./document.tsx";
import { Footer, Masthead } from "./frame.tsx";
import { Prose } from "./prose.tsx";

/** A section of docs/retention.md, from which the build takes it. */
export interface RetentionSection {
  title: string;
  rows: { term: string; facts: { label: string; text: string }[] }[];
}

interface RetentionFacts {
  sections: RetentionSection[];
  linkTtlSeconds: number;
  links: OperatorLinks;
}

/** The page at `/retention`: stored data, logged data, and who sees them. */
export function RetentionPage({ sections, linkTtlSeconds, links }: RetentionFacts) {
  return (
    <Document
      title="Overprint: data retention"
      description="What Overprint stores, where and for how long, what it logs, and who sees it."
      styles="reading"
    >
      <Masthead />
      <main class="reference single">
        <header>
          <h1>Data retention</h1>
          <p class="lead">
            Files are never used for anything but your call. Download links of this deployment work for{" "}
            {(linkTtlSeconds / 3600).toLocaleString("en", { maximumFractionDigits: 1 })} hours.
          </p>
        </header>
        {sections.map(({ title, rows }) => (
          <>
            <h2>{title}</h2>
            <dl class="fields errors">
              {rows.map(({ term, facts }) => (
                <>
                  <dt>
                    <Prose text={term} />
                  </dt>
                  <dd>
                    {facts.map(({ label, text }) => (
                      <p>
                        <strong>{label}:</strong> <Prose text={text} />
                      </p>
                    ))}
                  </dd>
                </>
              ))}
            </dl>
          </>
        ))}
      </main>
      <Footer links={links} />
    </Document>
  );
}
