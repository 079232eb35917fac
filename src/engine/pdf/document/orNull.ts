import { EngineError } from "../../errors.ts";
import { Malformed } from "../syntax/lexer.ts";

/** Runs `read`. Returns null for unreadable or too complex data. For data on which the mark does not depend. */
export function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof Malformed || error instanceof EngineError) return null;
    throw error;
  }
}
