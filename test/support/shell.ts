/** A parser for the part of the POSIX shell language that the documentation uses. */

/** Placeholder for text that is known only at run time: the output of a command or the value of an unset variable. */
export const UNKNOWN = "…";

const KEYWORDS = new Set(["do", "done", "then", "fi", "else", "{", "}"]);

interface Reader {
  script: string;
  at: number;
  commands: string[][];
  variables: Map<string, string>;
}

/**
 * Returns the commands of a script, each as a list of words, including the commands in `$(…)`. Replaces variables that
 * the script sets with their values. Treats a placeholder such as `<file>` as a word.
 * @throws Error if a quote or a substitution is not closed
 */
export function commandsIn(script: string): string[][] {
  const reader = { script, at: 0, commands: [], variables: new Map<string, string>() };
  readList(reader, "");
  return reader.commands;
}

/** Reads commands until `end`, or until the end of the script if `end` is empty. */
function readList(reader: Reader, end: string): void {
  let words: string[] = [];
  const finish = () => {
    const command = withoutSyntax(words, reader);
    if (command.length > 0) reader.commands.push(command);
    words = [];
  };
  for (;;) {
    const { script } = reader;
    const next = script[reader.at];
    if (next === undefined || (end !== "" && next === end)) {
      if (next === undefined && end !== "") throw new Error(`not closed: $(… in ${script}`);
      reader.at++;
      finish();
      return;
    }
    const [placeholder] = /^<[a-z][a-z .]*>/.exec(script.slice(reader.at, reader.at + 40)) ?? [];
    if (script.startsWith("\\\n", reader.at)) reader.at += 2;
    else if (next === " " || next === "\t") reader.at++;
    else if (next === "#") reader.at = endOfLine(script, reader.at);
    else if (/[\n;|&]/.test(next)) {
      reader.at++;
      finish();
    } else if (placeholder !== undefined) {
      words.push(placeholder);
      reader.at += placeholder.length;
    } else if (/[<>]/.test(next)) {
      reader.at++;
      while (script[reader.at] === " ") reader.at++;
      readWord(reader, end); // skips the redirection's target
    } else words.push(readWord(reader, end));
  }
}

/** Removes keywords, assignments, and the head of a loop or function from a command. */
function withoutSyntax(words: string[], { variables }: Reader): string[] {
  let rest = words;
  while (rest.length > 0) {
    const [first = ""] = rest;
    const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(first) ?? [];
    if (name !== undefined) variables.set(name, value!);
    else if (first === "for") return [];
    else if (!KEYWORDS.has(first) && !/^\w+\(\)$/.test(first)) break;
    rest = rest.slice(1);
  }
  return rest;
}

function readWord(reader: Reader, end: string): string {
  const { script } = reader;
  let word = "";
  for (;;) {
    const next = script[reader.at];
    if (next === undefined || /[\s;|&<>]/.test(next)) return word;
    if (next === end && !word.endsWith("(")) return word;
    if (next === "'") {
      word += readTo(reader, "'");
    } else if (next === '"') {
      reader.at++;
      word += readQuoted(reader);
    } else if (next === "\\") {
      word += script[reader.at + 1] === "\n" ? "" : (script[reader.at + 1] ?? "");
      reader.at += 2;
    } else if (next === "$") word += readExpansion(reader);
    else {
      word += next;
      reader.at++;
    }
  }
}

/** Reads text up to the closing `quote`, without expanding variables. */
function readTo(reader: Reader, quote: string): string {
  const close = reader.script.indexOf(quote, reader.at + 1);
  if (close < 0) throw new Error(`not closed: ${quote} in ${reader.script}`);
  const text = reader.script.slice(reader.at + 1, close);
  reader.at = close + 1;
  return text;
}

/** Reads the text in double quotes, and expands variables in it. */
function readQuoted(reader: Reader): string {
  let text = "";
  for (;;) {
    const next = reader.script[reader.at];
    if (next === undefined) throw new Error(`not closed: " in ${reader.script}`);
    if (next === "$") text += readExpansion(reader);
    else {
      const isEscaped = next === "\\" && /["\\$`]/.test(reader.script[reader.at + 1] ?? "");
      reader.at += isEscaped ? 2 : 1;
      if (next === '"') return text;
      text += isEscaped ? reader.script[reader.at - 1] : next;
    }
  }
}

function readExpansion(reader: Reader): string {
  const rest = reader.script.slice(reader.at);
  if (rest.startsWith("$(")) {
    reader.at += 2;
    readList(reader, ")");
    return UNKNOWN;
  }
  if (rest.startsWith("$'")) {
    reader.at++;
    return readTo(reader, "'");
  }
  const [whole = "$", name] = /^\$\{?(\w+)\}?/.exec(rest) ?? [];
  reader.at += whole.length;
  return name === undefined ? "$" : (reader.variables.get(name) ?? UNKNOWN);
}

function endOfLine(script: string, from: number): number {
  const end = script.indexOf("\n", from);
  return end < 0 ? script.length : end;
}
