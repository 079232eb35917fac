import type { RetentionSection } from "../../src/site/retentionPage.tsx";
import { withoutLinks } from "./withoutLinks.ts";

/** Reads the sections of docs/retention.md that contain a table. Replaces links by their text. */
export function retentionSections(markdown: string): RetentionSection[] {
  return markdown
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [labels = [], , ...rows] = Array.from(section.matchAll(/^\|(.+)\|$/gm), ([, cells = ""]) => cellsOf(cells));
      return {
        title: section.slice(0, section.indexOf("\n")),
        rows: rows.map(([term = "", ...texts]) => ({
          term,
          facts: texts.map((text, at) => ({ label: labels[at + 1] ?? "", text })),
        })),
      };
    })
    .filter(({ rows }) => rows.length > 0);
}

function cellsOf(row: string): string[] {
  return row.split("|").map((cell) => withoutLinks(cell.trim()));
}
