/** Where a mark is drawn: over the page's content, or under it and without transparency. The first one is the default. */
export const LAYERS = ["over", "under"] as const;
export type Layer = (typeof LAYERS)[number];
