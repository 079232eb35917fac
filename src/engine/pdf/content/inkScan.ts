/**
 * Runs page content (ISO 32000-2, 7.8.2) and reports the bounds of everything that it paints, and the colors of painted
 * areas. The bounds are estimates: glyphs have the height of usual letters, the bounds of curves include their control
 * points, and clipping paths count as rectangles.
 */
import { SPACE } from "../syntax/characters.ts";
import { endOfWhite, isRegular, Malformed, terminated } from "../syntax/lexer.ts";
import { RectangleGroup } from "./barcodes.ts";
import { areaOf, type Bounds, clipped, mapped } from "./bounds.ts";
import { type Color, colorOf } from "./color.ts";
import { type ColorSpace, type ContentResources, HALF_EM, type InkForm, type InkImage } from "./contentResources.ts";
import { DEVICE, INITIAL, type PaintColor, type State } from "./graphicsState.ts";
import { InkPath } from "./inkPath.ts";
import { readInlineImage } from "./inlineImage.ts";
import { IDENTITY, isUpright, type Matrix, multiply } from "./matrix.ts";
import { isOperator, Operands } from "./operands.ts";

/** Maximum number of saved graphics states. */
const MAX_SAVED = 512;
/** Maximum nesting depth of form XObjects. */
const MAX_FORMS = 12;
/** Maximum length of an operator in bytes. */
const MAX_OPERATOR = 3;
/** Share of the page above which a filled area or an image counts as the background of the page. */
const BACKGROUND_SHARE = 0.9;
/** Maximum share of the page that a barcode may cover. Larger areas do not count as barcodes. */
const MAX_BARCODE_SHARE = 0.25;
/** Minimum lightness, from 0 to 1, of a filled area that counts as paper. */
const LIGHT = 0.82;
/** Height of most letters above the baseline, in em. */
const ASCENT = 0.75;
/** Depth of most letters below the baseline, in em. */
const DESCENT = 0.22;
/** Code of the space in most fonts with two-byte codes. */
const SPACE_GLYPH = 3;
/** Number of content bytes that one step runs. */
const STEP = 1 << 14;

/** Receives the results of a scan. All bounds are in the space of the page. */
export interface InkSink {
  /** Receives the bounds of a painted shape, image or text. Backgrounds and white areas do not count. */
  readonly ink?: (bounds: Bounds) => void;
  /** Receives the bounds of a probable barcode. The same bounds are also reported as ink. */
  readonly barcode?: (bounds: Bounds) => void;
  /** Receives every filled path, shading and image, in the order of painting. */
  readonly area?: (area: PaintedArea) => void;
}

/** An area that content paints. */
export interface PaintedArea {
  readonly bounds: Bounds;
  /** Whether the area covers everything that lies within its bounds. */
  readonly isOpaque: boolean;
  /** The color of the area. Undefined for images, shadings, patterns and color spaces that are not interpreted. */
  readonly color: Color | undefined;
}

/** A content stream that is being run, and the offset up to which it was run. */
interface Frame {
  readonly bytes: Uint8Array;
  readonly end: number;
  readonly resources: ContentResources;
  /** Number of graphics states that were saved before the stream began. The stream cannot restore these states. */
  readonly base: number;
  at: number;
}

/** Runs a page's content in steps, and reports the bounds of everything that it paints. */
export class InkScan {
  readonly #sink: InkSink;
  readonly #pageArea: number;
  /** The page's content and the nested forms that are being run. The innermost form is the last. */
  readonly #frames: Frame[] = [];
  readonly #saved: State[] = [];
  #state: State;
  /**
   * Number of unrestored `q` operators whose graphics state was not saved, because `MAX_SAVED` states were already
   * saved.
   */
  #unsaved = 0;

  readonly #operands = new Operands();
  readonly #path = new InkPath();
  #isClip = false;
  #textMatrix = IDENTITY;
  #lineMatrix = IDENTITY;
  readonly #group = new RectangleGroup();

  /** @param page the displayed area of the page in its user space */
  constructor(content: Uint8Array, resources: ContentResources, page: Bounds, sink: InkSink) {
    this.#sink = sink;
    this.#pageArea = areaOf(page);
    this.#state = { ...INITIAL, clip: page };
    this.#push(content, resources);
  }

  /**
   * Runs a part of the content. A step that throws can be repeated.
   * @returns the number of bytes that were run; 0 at the end
   */
  step(): number {
    const frame = this.#frames.at(-1);
    if (!frame) {
      this.#endGroup();
      return 0;
    }
    const start = frame.at;
    try {
      this.#run(frame, start + STEP);
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      frame.at = frame.end; // other readers also ignore the rest of malformed content
    }
    if (frame.at >= frame.end && this.#frames.at(-1) === frame) this.#pop();
    return Math.max(1, frame.at - start);
  }

  #push(content: Uint8Array, resources: ContentResources): void {
    const bytes = terminated(content);
    this.#frames.push({ bytes, end: content.length, resources, base: this.#saved.length, at: 0 });
  }

  #pop(): void {
    const { base } = this.#frames.pop()!;
    if (this.#frames.length === 0) return;
    this.#saved.length = base;
    this.#state = this.#saved.pop()!;
    this.#unsaved = 0;
  }

  /** Runs operators up to `limit`. Stops early after an operator that shows a form, so that the form runs next. */
  #run(frame: Frame, limit: number): void {
    const { bytes, end } = frame;
    const operands = this.#operands;
    let at = frame.at;
    while (frame.at < limit && this.#frames.at(-1) === frame) {
      at = endOfWhite(bytes, at, end);
      frame.at = at;
      if (at >= end) return;
      operands.clear();
      while (at < end && !isOperator(bytes[at]!)) at = endOfWhite(bytes, operands.read(bytes, at), end);
      if (at >= end) {
        frame.at = end;
        return;
      }
      const start = at;
      let name = 0;
      while (isRegular(bytes[at])) name = (name << 8) | bytes[at++]!;
      if (name === INLINE_IMAGE) at = this.#inlineImage(bytes, at, end);
      else if (at - start <= MAX_OPERATOR) InkScan.#OPERATORS.get(name)?.(this, operands.numbers);
      frame.at = at;
    }
  }

  #save(): void {
    if (this.#saved.length === MAX_SAVED) this.#unsaved++;
    else this.#saved.push({ ...this.#state });
  }

  #restore(): void {
    if (this.#unsaved > 0) this.#unsaved--;
    else if (this.#saved.length > this.#frames.at(-1)!.base) this.#state = this.#saved.pop()!;
  }

  /**
   * Reports bounds clipped to the visible area, and returns them. Returns undefined if nothing is visible. Also returns
   * undefined if an area covers nearly the whole page, because such an area is the page's background.
   */
  #ink(bounds: Bounds, isArea = false): Bounds | undefined {
    const visible = clipped(bounds, this.#state.clip);
    const isEmpty = !(visible[0] <= visible[2] && visible[1] <= visible[3]);
    if (isEmpty || (isArea && areaOf(visible) > BACKGROUND_SHARE * this.#pageArea)) return undefined;
    this.#sink.ink?.(visible);
    return visible;
  }

  /**
   * Reports a painted area, clipped to the visible area.
   * @param isWhole whether the bounds are the exact outline of an area that is painted without gaps
   */
  #area(bounds: Bounds | undefined, isWhole: boolean, color?: Color): void {
    if (!bounds || !this.#sink.area) return;
    const { clip, isClipRectangle, isSolid, isBlended, isMasked } = this.#state;
    const visible = clipped(bounds, clip);
    if (!(visible[0] < visible[2] && visible[1] < visible[3])) return;
    const isOpaque = isWhole && isClipRectangle && isSolid && !isBlended && !isMasked;
    this.#sink.area({ bounds: visible, isOpaque, color });
  }

  /** Reports the bounds of a shape. Collects rectangles, because together they may form a barcode. */
  readonly #shape = (bounds: Bounds, isRectilinear: boolean): void => {
    const visible = this.#ink(bounds, true);
    if (!visible || !isRectilinear || this.#group.add(visible)) return;
    this.#endGroup();
    this.#group.add(visible);
  };

  #endGroup(): void {
    const bounds = this.#group.end();
    if (bounds && areaOf(bounds) < MAX_BARCODE_SHARE * this.#pageArea) this.#sink.barcode?.(bounds);
  }

  #paint(isFilled: boolean, isStroked: boolean, isClosed = false): void {
    if (isClosed) this.#path.close();
    const { fill, stroke, matrix, clip, lineWidth } = this.#state;
    if (isFilled && !fill.isLight) this.#path.fill(this.#shape);
    if (isStroked && !stroke.isLight)
      this.#path.stroke(lineWidth * Math.sqrt(Math.abs(matrix[0] * matrix[3] - matrix[1] * matrix[2])), this.#shape);
    const { bounds } = this.#path;
    if (isFilled) this.#area(bounds, !fill.hasGaps && this.#path.fillsBounds, fill.color);
    if (this.#isClip && bounds) {
      this.#state.isClipRectangle &&= this.#path.fillsBounds;
      this.#state.clip = clipped(bounds, clip);
    }
    this.#isClip = false;
    this.#path.clear();
  }

  /** Returns the color that the operands select. A name among the operands selects a pattern. */
  #color(space: ColorSpace): PaintColor {
    const { numbers, count } = this.#operands;
    const values = numbers.subarray(0, count);
    const isWhite = (value: number) => (space.isSubtractive || count === 4 ? value <= 1 - LIGHT : value >= LIGHT);
    const { name } = this.#operands;
    const isPattern = name !== undefined;
    const hasGaps = isPattern && !(this.#sink.area && this.#resources.isOpaquePattern(name));
    const isLight = !isPattern && count > 0 && values.every(isWhite);
    return { isLight, hasGaps, space, color: isPattern || !space.isPlain ? undefined : colorOf(values) };
  }

  /** Returns the initial color of the color space that the operand names. */
  #colorSpace(): PaintColor {
    return {
      isLight: false,
      hasGaps: false,
      space: this.#resources.space(this.#operands.name ?? ""),
      color: undefined,
    };
  }

  get #resources(): ContentResources {
    return this.#frames.at(-1)!.resources;
  }

  #set(changes: Partial<State>): void {
    Object.assign(this.#state, changes);
  }

  #clip(): void {
    this.#isClip = true;
  }

  #setLine(matrix: Matrix): void {
    this.#lineMatrix = this.#textMatrix = matrix;
  }

  #moveLine(x: number, y: number): void {
    this.#setLine(multiply([1, 0, 0, 1, x, y], this.#lineMatrix));
  }

  #nextLine(): void {
    this.#moveLine(0, -this.#state.leading);
  }

  #advance(distance: number): void {
    const isVertical = this.#state.font.isVertical;
    this.#textMatrix = multiply([1, 0, 0, 1, isVertical ? 0 : distance, isVertical ? distance : 0], this.#textMatrix);
  }

  #setFont(fontSize: number): void {
    const font = this.#sink.ink ? this.#resources.font(this.#operands.name ?? "") : HALF_EM;
    this.#set({ font, fontSize });
  }

  /**
   * Shows the last operand: a string, or an array of strings and adjustments (ISO 32000-2, 9.4.3). Invisible text also
   * counts as ink, because it is usually the recognized text over the letters of a scanned page.
   */
  #showText(): void {
    const { font, fontSize, stretch } = this.#state;
    this.#endGroup();
    if (!this.#sink.ink) return;
    const { value } = this.#operands;
    for (const part of Array.isArray(value) ? value : [value]) {
      if (part instanceof Uint8Array) this.#showString(part);
      else if (typeof part === "number") this.#advance((-part / 1000) * fontSize * (font.isVertical ? 1 : stretch));
    }
  }

  /** Reports the words of a string, or its glyphs if the line is slanted. */
  #showString(bytes: Uint8Array): void {
    const { font, fontSize, charSpace, wordSpace, stretch, rise, matrix } = this.#state;
    const { codeBytes, isVertical } = font;
    const toPage = multiply(this.#textMatrix, matrix);
    const isSlanted = toPage[0] !== 0 && toPage[1] !== 0;
    const [down, up] = [rise - DESCENT * fontSize, rise + ASCENT * fontSize];
    let start = 0;
    let at = 0;
    const report = () => {
      const word: Bounds = isVertical ? [-fontSize / 2, at, fontSize / 2, start] : [start, down, at, up];
      if (at !== start) this.#ink(mapped(toPage, word));
      start = at;
    };
    for (let i = 0; i + codeBytes <= bytes.length; i += codeBytes) {
      const code = codeBytes === 1 ? bytes[i]! : (bytes[i]! << 8) | bytes[i + 1]!;
      const isSpace = code === (codeBytes === 1 ? SPACE : SPACE_GLYPH);
      if (isSpace) report();
      if (isVertical) at -= fontSize - charSpace;
      else
        at +=
          (font.widthOf(code) * fontSize + charSpace + (code === SPACE && codeBytes === 1 ? wordSpace : 0)) * stretch;
      if (isSpace) start = at;
      else if (isSlanted) report();
    }
    report();
    this.#advance(at);
  }

  #drawObject(): void {
    const object = this.#resources.xobject(this.#operands.name ?? "");
    if (!object) return;
    if ("isBarcode" in object) this.#image(object);
    else this.#form(object);
  }

  #form({ matrix, box, isOptional, content, resources }: InkForm): void {
    const toPage = multiply(matrix, this.#state.matrix);
    const bytes = this.#frames.length < MAX_FORMS ? content() : undefined;
    const bounds = mapped(toPage, box);
    if (!bytes) {
      this.#ink(bounds, true);
      this.#area(bounds, false);
      return;
    }
    this.#saved.push(this.#state);
    const isClipRectangle = this.#state.isClipRectangle && !isOptional && isUpright(toPage);
    this.#state = { ...this.#state, matrix: toPage, clip: clipped(bounds, this.#state.clip), isClipRectangle };
    this.#push(bytes, resources ?? this.#resources);
  }

  /**
   * Reports an image, which fills the unit square (ISO 32000-2, 8.9.4). If the image is the background of the page,
   * such as a scan, reports the details of the image instead.
   */
  #image(image: InkImage): void {
    const { matrix } = this.#state;
    const bounds = mapped(matrix, [0, 0, 1, 1]);
    const { barcode, ink } = this.#sink;
    const isCode = barcode && areaOf(bounds) < MAX_BARCODE_SHARE * this.#pageArea && image.isBarcode();
    this.#endGroup();
    const visible = this.#ink(bounds, true);
    if (isCode && visible) barcode(visible);
    if (ink && !visible) for (const detail of image.details()) this.#ink(mapped(matrix, detail));
    this.#area(bounds, image.isOpaque && isUpright(matrix));
  }

  #inlineImage(bytes: Uint8Array, at: number, end: number): number {
    const image = readInlineImage(bytes, at, end);
    this.#image({ isOpaque: !image.isMask, isBarcode: () => image.mayBeBarcode, details: () => [] });
    return image.next;
  }

  #curve(numbers: Float64Array, count: number): void {
    const { matrix } = this.#state;
    for (let i = 0; i < count - 2; i += 2) this.#path.controlTo(matrix, numbers[i]!, numbers[i + 1]!);
    this.#path.lineTo(matrix, numbers[count - 2]!, numbers[count - 1]!);
  }

  #rectangle([x, y, width, height]: Float64Array): void {
    const { matrix } = this.#state;
    this.#path.moveTo(matrix, x!, y!);
    this.#path.lineTo(matrix, x! + width!, y!);
    this.#path.lineTo(matrix, x! + width!, y! + height!);
    this.#path.lineTo(matrix, x!, y! + height!);
    this.#path.close();
  }

  /** Operators by their names. Each operator receives the numbers before it as operands. */
  static readonly #OPERATORS = new Map(
    Object.entries<(scan: InkScan, n: Float64Array) => void>({
      q: (scan) => scan.#save(),
      Q: (scan) => scan.#restore(),
      cm: (scan, n) => scan.#set({ matrix: multiply(matrixOf(n), scan.#state.matrix) }),
      w: (scan, n) => scan.#set({ lineWidth: n[0]! }),
      gs: (scan) => scan.#set(scan.#resources.opacity(scan.#operands.name ?? "")),
      "g rg k": (scan) => scan.#set({ fill: scan.#color(DEVICE) }),
      "G RG K": (scan) => scan.#set({ stroke: scan.#color(DEVICE) }),
      "sc scn": (scan) => scan.#set({ fill: scan.#color(scan.#state.fill.space) }),
      "SC SCN": (scan) => scan.#set({ stroke: scan.#color(scan.#state.stroke.space) }),
      cs: (scan) => scan.#set({ fill: scan.#colorSpace() }),
      CS: (scan) => scan.#set({ stroke: scan.#colorSpace() }),

      m: (scan, n) => scan.#path.moveTo(scan.#state.matrix, n[0]!, n[1]!),
      l: (scan, n) => scan.#path.lineTo(scan.#state.matrix, n[0]!, n[1]!),
      "v y": (scan, n) => scan.#curve(n, 4),
      c: (scan, n) => scan.#curve(n, 6),
      h: (scan) => scan.#path.close(),
      re: (scan, n) => scan.#rectangle(n),
      "W W*": (scan) => scan.#clip(),
      n: (scan) => scan.#paint(false, false),
      S: (scan) => scan.#paint(false, true),
      s: (scan) => scan.#paint(false, true, true),
      "f F f*": (scan) => scan.#paint(true, false),
      "B B*": (scan) => scan.#paint(true, true),
      "b b*": (scan) => scan.#paint(true, true, true),

      BT: (scan) => scan.#setLine(IDENTITY),
      Tf: (scan, n) => scan.#setFont(n[0]!),
      Tc: (scan, n) => scan.#set({ charSpace: n[0]! }),
      Tw: (scan, n) => scan.#set({ wordSpace: n[0]! }),
      Tz: (scan, n) => scan.#set({ stretch: n[0]! / 100 }),
      TL: (scan, n) => scan.#set({ leading: n[0]! }),
      Ts: (scan, n) => scan.#set({ rise: n[0]! }),
      Tm: (scan, n) => scan.#setLine(matrixOf(n)),
      Td: (scan, n) => scan.#moveLine(n[0]!, n[1]!),
      TD: (scan, n) => {
        scan.#set({ leading: -n[1]! });
        scan.#moveLine(n[0]!, n[1]!);
      },
      "T*": (scan) => scan.#nextLine(),
      "Tj TJ": (scan) => scan.#showText(),
      "'": (scan) => {
        scan.#nextLine();
        scan.#showText();
      },
      '"': (scan, n) => {
        scan.#set({ wordSpace: n[0]!, charSpace: n[1]! });
        scan.#nextLine();
        scan.#showText();
      },

      Do: (scan) => scan.#drawObject(),
      sh: (scan) => {
        scan.#ink(scan.#state.clip, true);
        scan.#area(scan.#state.clip, true);
      },
    }).flatMap(([names, run]) => names.split(" ").map((name) => [packed(name), run] as const)),
  );
}

function matrixOf([a, b, c, d, e, f]: Float64Array): Matrix {
  return [a!, b!, c!, d!, e!, f!];
}

/** Returns the codes of an operator's characters as one number. */
function packed(name: string): number {
  return Array.from(name).reduce((bits, letter) => (bits << 8) | letter.charCodeAt(0), 0);
}

const INLINE_IMAGE = packed("BI");
