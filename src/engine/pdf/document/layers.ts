/**
 * The layers in which a mark can be drawn: over the page's content, or under it. A mark under the content has no
 * transparency. The first layer is the default.
 */
export const LAYERS = ["over", "under"] as const;
export type Layer = (typeof LAYERS)[number];
