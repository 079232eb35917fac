/** Interprets the flags of annotations (ISO 32000-2, 12.5.3, table 167). */
import type { Value } from "../syntax/values.ts";

const [HIDDEN, PRINT, NO_VIEW] = [2, 4, 32];

/** Returns whether readers neither display nor print an annotation with the given flags. */
export function isUnseen(flags: Value | undefined): boolean {
  return typeof flags === "number" && ((flags & HIDDEN) > 0 || (flags & (PRINT | NO_VIEW)) === NO_VIEW);
}
