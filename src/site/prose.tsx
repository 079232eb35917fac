import type { Child } from "hono/jsx";

/** Text whose `code` is set as such. */
export function Prose({ text }: { text: string }): Child {
  return text.split("`").map((part, at) => (at % 2 === 1 ? <code>{part}</code> : part));
}
