import { EngineError } from "../../errors.ts";
import { Malformed } from "../syntax/lexer.ts";

/**
 * Runs `read` and returns its result. Returns undefined if `read` throws because data are unreadable or too complex. Use
 * this function only for data on which the mark does not depend.
 */
export async function unlessUnreadable<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Malformed || error instanceof EngineError) return undefined;
    throw error;
  }
}
