/** A structural character of a JSON text. The quote represents a whole string. */
export type JsonToken = "{" | "}" | "[" | "]" | "," | ":" | '"';

const TOKENS: ReadonlySet<number> = new Set(['"', ",", ":", "{", "}", "[", "]"].map((token) => token.charCodeAt(0)));
const BACKSLASH = 0x5c;

/**
 * Reads the tokens of a JSON text one by one, in constant memory and linear time. The text may be malformed or
 * truncated. Numbers, literals and white space are skipped.
 */
export class JsonScanner {
  readonly #json: string;
  /** Offset of the current token. */
  start = 0;
  /** Offset after the current token. */
  end = 0;

  constructor(json: string) {
    this.#json = json;
  }

  /** Moves to the next token and returns it. Returns undefined at the end of the text. */
  next(): JsonToken | undefined {
    const json = this.#json;
    for (let offset = this.end; offset < json.length; offset++) {
      if (!TOKENS.has(json.charCodeAt(offset))) continue;
      const token = json[offset] as JsonToken;
      this.start = offset;
      this.end = token === '"' ? endOfString(json, offset) : offset + 1;
      return token;
    }
    this.end = json.length;
    return undefined;
  }
}

/**
 * Returns the offset after the closing quote of the string that starts at `start`. Returns the text's length if the
 * string is unterminated. Uses `indexOf`, because a string may contain megabytes of base64.
 */
function endOfString(json: string, start: number): number {
  for (let quote = start + 1; ; quote++) {
    quote = json.indexOf('"', quote);
    if (quote < 0) return json.length;
    let backslashes = 0;
    while (json.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return quote + 1;
  }
}
