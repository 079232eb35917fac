/** A section of docs/retention.md: each table row is a term, and the facts that the other columns state about it. */
export interface RetentionSection {
  title: string;
  rows: { term: string; facts: { label: string; text: string }[] }[];
}

/** Reads the sections of docs/retention.md that contain a table. Links become their text. */
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
  return row.split("|").map((cell) => cell.trim().replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1"));
}
