/** Replaces the links of a Markdown text with their words. */
export function withoutLinks(markdown: string): string {
  return markdown.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1");
}
