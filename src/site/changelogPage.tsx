import type { OperatorLinks } from "../settings/config.ts";
import { Prose } from "./prose.tsx";
import { SinglePage } from "./singlePage.tsx";

/** A release. The build reads the releases from CHANGELOG.md. */
export interface ChangelogRelease {
  title: string;
  changes: string[];
}

/** The page at `/changelog`: the changes that callers notice, by release. */
export function ChangelogPage({ releases, links }: { releases: ChangelogRelease[]; links: OperatorLinks }) {
  return (
    <SinglePage
      title="Changelog for callers"
      description="The changes of Overprint that callers notice, by release."
      lead={
        <>
          A path, field or error code of <code>/v1</code> works for at least 12 months after its deprecation is listed
          here.
        </>
      }
      links={links}
    >
      {releases.map(({ title, changes }) => (
        <>
          <h2>{title}</h2>
          <ul class="entries">
            {changes.map((change) => (
              <li>
                <Prose text={change} />
              </li>
            ))}
          </ul>
        </>
      ))}
    </SinglePage>
  );
}
