const [QUOTE, COMMA, OPEN, CLOSE, OPEN_ARRAY, CLOSE_ARRAY, BACKSLASH] = [0x22, 44, 0x7b, 0x7d, 0x5b, 0x5d, 0x5c];

/**
 * Parses the beginning of a JSON text: the members and elements that are whole, which are those before the last comma.
 * Returns undefined if there are none, or it is not well-formed so far.
 */
export function parseBeginning(json: string): unknown {
  let end = 0;
  forEachToken(json, (code, at) => {
    if (code === COMMA) end = at;
  });
  const whole = json.slice(0, end);
  const closing: string[] = [];
  forEachToken(whole, (code) => {
    if (code === OPEN) closing.push("}");
    if (code === OPEN_ARRAY) closing.push("]");
    if (code === CLOSE || code === CLOSE_ARRAY) closing.pop();
  });
  try {
    return JSON.parse(whole + closing.reverse().join(""));
  } catch {
    return undefined;
  }
}

/** Calls back for each character outside of strings. */
function forEachToken(json: string, act: (code: number, at: number) => void): void {
  let isInString = false;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) isInString = !isInString;
    else if (!isInString) act(code, at);
    else if (code === BACKSLASH) at++;
  }
}
