/** Extracts the prose of the project: comments, test names, strings that people read, and documentation. */
import { globSync, readFileSync } from "node:fs";
import { ts } from "@ts-morph/common";

/** A piece of prose. */
export interface Text {
  kind: "comment" | "test" | "suite" | "string" | "document";
  path: string;
  /** Line number of the first character. The first line of a file is 1. */
  line: number;
  /** The prose in one line, without comment markers and quotes. */
  text: string;
  /** Offsets [start, end) of the whole comment, or of the string with its quotes, in the file. */
  start: number;
  end: number;
}

const CODE = "{src,web,cli,packages,scripts,bench,test,examples}/**/*.{ts,tsx,mts,mjs,js}";
const ROOT_CODE = "*.mts";
/** Files with comments in the syntax of CSS. */
const STYLES = "web/**/*.css";
/** Files in which comments begin with a number sign. */
const SETTINGS = [
  "*.toml",
  "Dockerfile",
  ".ci/run",
  ".dev.vars.example",
  "{.github,scripts,bench,examples,test}/**/*.{yml,yaml,sh,py}",
];
const DOCUMENTS = ["*.md", "{docs,examples,src,test,web,cli,packages,scripts,bench}/**/*.md"];
/** Minimum number of words in a string that counts as prose. */
const MIN_WORDS = 4;

/**
 * Returns the paths of all files with prose below `root`, relative to `root`.
 * @param root folder of the project
 */
export function filesWithTexts(root: string): string[] {
  const found = globSync([CODE, ROOT_CODE, STYLES, ...SETTINGS, ...DOCUMENTS], {
    cwd: root,
    exclude: (path) => path === "node_modules",
  });
  return found
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => !/(^|\/)(node_modules|dist|out)\//.test(path))
    .toSorted();
}

/**
 * Returns the prose of one file in order.
 * @param path path relative to `root`
 */
export function textsOf(root: string, path: string): Text[] {
  const source = readFileSync(`${root}/${path}`, "utf8");
  if (path.endsWith(".md")) return documentTexts(path, source);
  if (/\.(ts|tsx|mts|mjs|js)$/.test(path)) return codeTexts(path, source);
  return commentsOf(path, source);
}

/** Returns the comments of a style sheet or of a settings file. */
function commentsOf(path: string, source: string): Text[] {
  // in the line of a disabled setting, `# NAME="value" # comment`, only the comment at the end is prose
  const comment = path.endsWith(".css")
    ? /\/\*[\s\S]*?\*\//g
    : /(?:^[ \t]*#(?!!)(?! ?[A-Z_]+=).*\n?)+|(?<=\S[ \t]+)# .*$/gm;
  return [...source.matchAll(comment)].flatMap(({ 0: found, index }) => {
    const text = oneLine(path.endsWith(".css") ? found.slice(2, -2) : found.replaceAll(/^[ \t]*#+/gm, ""));
    const line = lineAt(source, index);
    return /\p{L}{2}/u.test(text)
      ? [{ kind: "comment", path, line, text, start: index, end: index + found.trimEnd().length } as const]
      : [];
  });
}

function codeTexts(path: string, source: string): Text[] {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true);
  const texts: Text[] = [];
  const add = (kind: Text["kind"], start: number, end: number, text: string) => {
    if (/\p{L}{2}/u.test(text))
      texts.push({ kind, path, line: lineAt(source, start), text: oneLine(text), start, end });
  };
  const comments = new Map<number, number>();
  const visit = (node: ts.Node): void => {
    if (!ts.isJsxText(node)) {
      for (const range of ts.getLeadingCommentRanges(source, node.getFullStart()) ?? [])
        comments.set(range.pos, range.end);
      for (const range of ts.getTrailingCommentRanges(source, node.getEnd()) ?? []) comments.set(range.pos, range.end);
    } else if (oneLine(node.text).split(" ").length >= MIN_WORDS) {
      const indent = node.text.length - node.text.trimStart().length;
      add("string", node.pos + indent, node.pos + node.text.trimEnd().length, node.text);
    }
    const name = testName(node);
    if (name) add(name.kind, name.node.getStart(), name.node.getEnd(), literalText(name.node));
    else if (isProse(node)) add("string", node.getStart(), node.getEnd(), literalText(node));
    for (const child of node.getChildren(file))
      if (child.kind < ts.SyntaxKind.FirstJSDocNode || child.kind > ts.SyntaxKind.LastJSDocNode) visit(child);
  };
  visit(file);
  for (const [start, end] of joined(comments, source))
    add("comment", start, end, commentText(source.slice(start, end)));
  return texts.toSorted((a, b) => a.start - b.start);
}

/** Joins line comments on consecutive lines into one comment. Returns the offsets of the comments. */
function joined(comments: Map<number, number>, source: string): [number, number][] {
  const result: [number, number][] = [];
  for (const [start, end] of [...comments].toSorted((a, b) => a[0] - b[0])) {
    const last = result.at(-1);
    const isLine = source.startsWith("//", start);
    const standsAlone = (at: number) => source.slice(source.lastIndexOf("\n", at - 1) + 1, at).trim() === "";
    if (
      last &&
      isLine &&
      source.startsWith("//", last[0]) &&
      standsAlone(last[0]) &&
      standsAlone(start) &&
      /^\n[ \t]*$/.test(source.slice(last[1], start))
    )
      last[1] = end;
    else result.push([start, end]);
  }
  return result.filter(([start]) => !/^\/\/ (biome-ignore|@ts-)|^\/\/\/ /.test(source.slice(start, start + 20)));
}

/** Returns the name of a test or suite: the first argument of `test(…)`, `describe.each(…)(…)` and similar calls. */
function testName(node: ts.Node): { kind: "test" | "suite"; node: ts.Node } | undefined {
  if (!ts.isCallExpression(node)) return undefined;
  const [name] = node.arguments;
  if (!name || !(ts.isStringLiteralLike(name) || ts.isTemplateExpression(name))) return undefined;
  let callee: ts.Node = node.expression;
  while (ts.isPropertyAccessExpression(callee) || ts.isCallExpression(callee) || ts.isTaggedTemplateExpression(callee))
    callee = ts.isTaggedTemplateExpression(callee) ? callee.tag : callee.expression;
  if (!ts.isIdentifier(callee) || !/^(test|it|describe)$/.test(callee.text)) return undefined;
  return { kind: callee.text === "describe" ? "suite" : "test", node: name };
}

function isProse(node: ts.Node): boolean {
  if (!(ts.isStringLiteralLike(node) || ts.isTemplateExpression(node))) return false;
  if (ts.isCallExpression(node.parent) && testName(node.parent)?.node === node) return false;
  const words = literalText(node)
    .split(/\s+/)
    .filter((word) => /^[("'“`]*\p{L}[\p{L}'’-]*[.,;:!?)"'”`]*$/u.test(word));
  return words.length >= MIN_WORDS;
}

function literalText(node: ts.Node): string {
  if (ts.isStringLiteralLike(node)) return node.text;
  return node.getText().slice(1, -1);
}

function commentText(comment: string): string {
  if (comment.startsWith("/*"))
    return comment
      .replace(/^\/\*+/, "")
      .replace(/\*\/$/, "")
      .replace(/^[ \t]*\*/gm, "");
  return comment.replace(/^[ \t]*\/\/+/gm, "");
}

/** Returns the paragraphs, list items, headings and table cells of a document, without code. */
function documentTexts(path: string, source: string): Text[] {
  const blank = (text: string) => text.replaceAll(/[^\n]/g, " ");
  const prose = source
    .replaceAll(/^(```|~~~)[\s\S]*?^\1$/gm, blank)
    .replaceAll(/<!--[\s\S]*?-->/g, blank)
    .replaceAll(/^[ \t]*\|[ :|-]+\|[ \t]*$/gm, blank);
  const texts: Text[] = [];
  for (const block of prose.matchAll(/(?:^(?!\s*$).*\n?)+/gm)) {
    const parts = block[0].matchAll(
      /^[ \t]*\|.*$|^[ \t]*(?:[-*]|\d+\.)[ \t](?:.*\n?)(?:^(?![ \t]*(?:[-*]|\d+\.)[ \t]|[ \t]*\|).+\n?)*|(?:^(?![ \t]*\|).+\n?)+/gm,
    );
    for (const part of parts) {
      const cells = part[0].trimStart().startsWith("|") ? [...part[0].matchAll(/[^|]+/g)] : [part];
      for (const cell of cells) {
        const start = block.index + part.index + (cell === part ? 0 : cell.index);
        const text = oneLine(cell[0].replace(/^[ \t]*(#+|>|[-*]|\d+\.)[ \t]+/, ""));
        if (/\p{L}{2}/u.test(text))
          texts.push({ kind: "document", path, line: lineAt(source, start), text, start, end: start + cell[0].length });
      }
    }
  }
  return texts;
}

const oneLine = (text: string) => text.replaceAll(/\s+/g, " ").trim();

const lineAt = (source: string, offset: number) => source.slice(0, offset).split("\n").length;
