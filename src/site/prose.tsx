import type { Child } from "hono/jsx";

/** Renders a text. Text between backquotes is shown as code. */
export function Prose({ text }: { text: string }): Child {
  return text.split("`").map((part, at) => (at % 2 === 1 ? <code>{part}</code> : part));
}
