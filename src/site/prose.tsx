import type { Child } from "hono/jsx";

/** Renders a text. Parts between backquotes become code. */
export function Prose({ text }: { text: string }): Child {
  return text.split("`").map((part, at) => (at % 2 === 1 ? <code>{part}</code> : part));
}
