import type { ChangelogRelease } from "../../src/site/changelogPage.tsx";

/** Reads the group "For callers" of each release in a changelog. Omits releases without this group. */
export function callersChangelog(markdown: string): ChangelogRelease[] {
  return markdown
    .split(/^## /m)
    .slice(1)
    .flatMap((release) => {
      const group = release.split(/^### /m).find((part) => part.startsWith("For callers\n"));
      if (group === undefined) return [];
      const [, ...items] = group.split(/^- /m);
      const title = release.slice(0, release.indexOf("\n"));
      return [{ title, changes: items.map((item) => item.trim().replaceAll(/\s+/g, " ")) }];
    });
}
