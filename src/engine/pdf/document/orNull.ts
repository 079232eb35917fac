import { EngineError } from "../../errors.ts";
import { Malformed } from "../syntax/lexer.ts";

/**
 * Runs `read` and returns its result. Returns null if `read` throws because data are unreadable or too complex. Use
 * this function only for data on which the mark does not depend.
 */
export function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof Malformed || error instanceof EngineError) return null;
    throw error;
  }
}
