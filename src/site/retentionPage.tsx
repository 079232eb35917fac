import type { OperatorLinks } from "../settings/config.ts";
import { durationInWords } from "./duration.ts";
import { Prose } from "./prose.tsx";
import { SinglePage } from "./singlePage.tsx";

/** A section of the page. The build reads the sections from docs/retention.md. */
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
    <SinglePage
      title="Data retention"
      description="What Overprint stores, where and for how long, what it logs, and who sees it."
      lead={
        <>
          Files are never used for anything but your call. Download links of this deployment work for{" "}
          {durationInWords(linkTtlSeconds)}.
        </>
      }
      links={links}
    >
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
                      <strong class="column">{label}:</strong> <Prose text={text} />
                    </p>
                  ))}
                </dd>
              </>
            ))}
          </dl>
        </>
      ))}
    </SinglePage>
  );
}
