/**
 * Where a mark is drawn: over the page's content, or under it. A mark under the content has no transparency. The first
 * value is the default.
 */
export const LAYERS = ["over", "under"] as const;
export type Layer = (typeof LAYERS)[number];
