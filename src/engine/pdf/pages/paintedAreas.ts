/**
 * Finds the rectangles that content paints opaquely: filled rectangles, shadings and images (ISO 32000-2, 8.5.3 and
 * 8.9.5). Other painted paths do not count.
 */
import { decodeLatin1 } from "../../bytes.ts";
import { readInlineImage } from "../content/inlineImage.ts";
import { type Matrix, multiply } from "../content/matrix.ts";
import { BRACKET_OPEN, LESS_THAN, SLASH } from "../syntax/characters.ts";
import { Malformed, skipToken, skipValue, skipWhite } from "../syntax/lexer.ts";
import { type Box, commonBox } from "./boxes.ts";

/** Page or form content, and its resources. */
export interface ContentSource {
  /** The decoded content, possibly cut off. Its last byte is white space. */
  readonly content: Uint8Array;
  /** Returns the opacity parameters that a named graphics state sets. */
  stateOf(name: string): Partial<Opacity>;
  /** Returns a named XObject if it is an opaque image or a form; otherwise undefined. */
  xobjectOf(name: string): "image" | PaintedForm | undefined;
}

/** The parameters of a graphics state that determine whether painted areas are opaque. */
interface Opacity {
  readonly isSolid: boolean;
  readonly isBlended: boolean;
  readonly isMasked: boolean;
}

/** A form XObject that content paints. */
export interface PaintedForm extends ContentSource {
  readonly matrix: Matrix;
  readonly box: Box;
}

interface State extends Opacity {
  readonly matrix: Matrix;
  /** The bounding box of the clipping path. Undefined if the path is not a rectangle. */
  readonly clip: Box | undefined;
  readonly hasPattern: boolean;
}

type Corner = readonly [x: number, y: number];

/** Maximum nesting depth of forms. */
const DEEPEST = 4;
/** Maximum difference, in units of user space, of two coordinates that count as equal. */
const STRAIGHT = 0.05;
const MAX_CORNERS = 5;
const MAX_SAVED = 64;
const MAX_BOXES = 256;

/** Returns the rectangles that the content paints, in the space of the content. Each rectangle is clipped to `page`. */
export function paintedAreas(source: ContentSource, page: Box): Box[] {
  const boxes: Box[] = [];
  const state = { isSolid: true, isBlended: false, isMasked: false, hasPattern: false };
  paint(source, { ...state, matrix: [1, 0, 0, 1, 0, 0], clip: page }, boxes, 0);
  return boxes;
}

/** Executes content, and adds the painted rectangles to `boxes`. Stops at the first syntax error. */
function paint(source: ContentSource, initial: State, boxes: Box[], depth: number): void {
  const { content } = source;
  const saved: State[] = [];
  let state = initial;
  let path: Corner[] = [];
  let isClip = false;
  let operands: number[] = [];
  let name = "";

  const add = (box: Box | undefined) => {
    const isOpaque = state.isSolid && !state.isBlended && !state.isMasked;
    const visible = box && state.clip && common(box, state.clip);
    if (isOpaque && visible) boxes.push(visible);
  };
  const corner = (x: number, y: number) => path.push(mapped(state.matrix, x, y));
  const endPath = () => {
    if (isClip) state = { ...state, clip: state.clip && common(state.clip, rectangle(path)) };
    isClip = false;
    path = [];
  };
  const draw = (xobject: ReturnType<ContentSource["xobjectOf"]>) => {
    if (xobject === "image") add(rectangle(corners({ x0: 0, y0: 0, x1: 1, y1: 1 }, state.matrix)));
    else if (xobject && depth < DEEPEST) {
      const matrix = multiply(xobject.matrix, state.matrix);
      const clip = state.clip && common(state.clip, rectangle(corners(xobject.box, matrix)));
      paint(xobject, { ...state, matrix, clip, hasPattern: false }, boxes, depth + 1);
    }
  };

  const execute = (operator: string): void => {
    const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = operands;
    switch (operator) {
      case "q":
        if (saved.length < MAX_SAVED) saved.push(state);
        return;
      case "Q":
        state = saved.pop() ?? state;
        return;
      case "cm":
        state = { ...state, matrix: multiply([a, b, c, d, e, f], state.matrix) };
        return;
      case "gs":
        state = { ...state, ...source.stateOf(name) };
        return;
      case "g":
      case "rg":
      case "k":
      case "cs":
      case "sc":
      case "scn":
        state = { ...state, hasPattern: name !== "" && operator === "scn" };
        return;
      case "m":
      case "l":
        corner(a, b);
        return;
      case "re":
        for (const [x, y] of [
          [a, b],
          [a + c, b],
          [a + c, b + d],
          [a, b + d],
        ] as const)
          corner(x, y);
        return;
      case "c":
      case "v":
      case "y":
        // A path with a curve gets more than `MAX_CORNERS` corners, so that it does not count as a rectangle.
        for (let i = 0; i <= MAX_CORNERS; i++) corner(a, b);
        return;
      case "W":
      case "W*":
        isClip = true;
        return;
      case "f":
      case "F":
      case "f*":
      case "B":
      case "B*":
      case "b":
      case "b*":
        if (!state.hasPattern) add(rectangle(path));
        endPath();
        return;
      case "S":
      case "s":
      case "n":
        endPath();
        return;
      case "sh":
        add(state.clip);
        return;
      case "Do":
        draw(source.xobjectOf(name));
    }
  };

  try {
    for (let at = skipWhite(content, 0); at < content.length && boxes.length < MAX_BOXES; at = skipWhite(content, at)) {
      const start = at;
      const first = content[at]!;
      if (first === BRACKET_OPEN || first === LESS_THAN) {
        at = skipValue(content, at);
        continue;
      }
      at = skipToken(content, at);
      const token = decodeLatin1(content, start, at);
      const value = Number(token);
      if (first === SLASH) name = token.slice(1);
      else if (!Number.isNaN(value)) operands.push(value);
      else if (/^[A-Za-z'"]/.test(token)) {
        if (token === "BI") {
          at = readInlineImage(content, at, content.length).end;
          if (at < 0) return;
        } else execute(token);
        operands = [];
        name = "";
      }
      if (path.length > MAX_CORNERS) path.length = MAX_CORNERS + 1;
    }
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
  }
}

/**
 * Returns the box of a path with four corners whose sides are horizontal and vertical. Returns undefined for other
 * paths.
 */
function rectangle(path: readonly Corner[]): Box | undefined {
  const [first, , , fourth] = path;
  const isClosed = path.length === 5 && isNear(path[4]!, first!);
  if (!first || !fourth || !(path.length === 4 || isClosed)) return undefined;
  const four = path.slice(0, 4);
  const isStraight = four.every(([x, y], i) => {
    const [nextX, nextY] = four[(i + 1) % 4]!;
    return Math.abs(x - nextX) < STRAIGHT || Math.abs(y - nextY) < STRAIGHT;
  });
  if (!isStraight) return undefined;
  const [xs, ys] = [four.map(([x]) => x), four.map(([, y]) => y)];
  return { x0: Math.min(...xs), y0: Math.min(...ys), x1: Math.max(...xs), y1: Math.max(...ys) };
}

function isNear([x, y]: Corner, [otherX, otherY]: Corner): boolean {
  return Math.abs(x - otherX) < STRAIGHT && Math.abs(y - otherY) < STRAIGHT;
}

function corners({ x0, y0, x1, y1 }: Box, matrix: Matrix): Corner[] {
  return [mapped(matrix, x0, y0), mapped(matrix, x1, y0), mapped(matrix, x1, y1), mapped(matrix, x0, y1)];
}

function mapped([a, b, c, d, e, f]: Matrix, x: number, y: number): Corner {
  return [a * x + c * y + e, b * x + d * y + f];
}

/** Returns the intersection of two boxes. Returns undefined if the boxes do not overlap. */
function common(one: Box, other: Box | undefined): Box | undefined {
  if (!other) return undefined;
  const box = commonBox(one, other);
  return box.x0 < box.x1 && box.y0 < box.y1 ? box : undefined;
}
