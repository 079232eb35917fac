/**
 * Guards: operators before and after a page's content. They protect the mark from content that changes the graphics
 * state for later operators, and from truncated content. The guarded content is well-formed or has not been checked.
 * For well-formed content, all guards are legal, balanced and without effect.
 */
import { deflate } from "#platform/zlib";
import { encodeLatin1 } from "../../bytes.ts";
import type { Pdfa } from "../document/pdfa.ts";

/**
 * Selects the initial color space of content (ISO 32000-2, 8.4.1). On a page that blends in RGB, Ghostscript begins
 * with a different color space. Ghostscript would then show a gray set with `sc` as black.
 */
const INITIAL_COLOR = "0 g";

/**
 * Maximum number of marked-content sequences that page content may leave open. The content may also end the same number
 * of sequences that it has not begun.
 */
const SEQUENCES = 4;

/** Tokens that close arrays and dictionaries in any order of nesting. */
const BRACKETS = "]>>]>>]>>]";

/**
 * Lines that close strings. Unless page content ends within a string, these lines are comments. One line closes a
 * hexadecimal string, and one line closes each open parenthesis. The line that ends the string also ends the arrays and
 * dictionaries around it. Later lines are comments again. A truncated inline image consumes its missing bytes from
 * these lines. The lines are therefore longer than 4 KiB, the maximum length of an inline image that ISO 32000-2, 8.9.7
 * recommends. The first line ends an unfinished token. This line contains a space, because pdf.js stops at a plus or
 * minus sign if only line ends separate the sign from a comment.
 */
const LINES = `\n \n%>${BRACKETS}\n${`%)${BRACKETS}\n`.repeat(320)}`;

/**
 * Inline-image data that closes everything left open by page content. If content ends within an array, a dictionary or
 * an inline image, readers do not recognize the operators `BI` and `ID`. They read the data as tokens, which close all
 * arrays and dictionaries, and drop the remaining operands. `EI` ends an inline image. After any other content, the
 * image is a small stencil mask that paints nothing. Its resolution is 1,200 samples per inch, so that print checks do
 * not report it.
 */
const DATA = `${BRACKETS} scn n `;
const IMAGE = `BT ET q .06 0 0 ${(DATA.length * 0.06).toFixed(2)} 0 0 cm /Artifact BMC\nBI/W 1/H ${DATA.length}/IM true/BPC 1/D[1 0] ID ${DATA}\nEI Q EMC\n`;

/** A content stream that is the same for all documents. The stream is deflated at its first use. */
class SharedStream {
  readonly dict = "/Filter/FlateDecode";
  readonly #text: string;
  #data: Uint8Array | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  get data(): Uint8Array {
    this.#data ??= deflate(encodeLatin1(this.#text));
    return this.#data;
  }
}

/** The operators around a page's content. The opening operators save the initial graphics state many times. */
class Guards {
  /** Stream to write before the page's content. */
  readonly opening: SharedStream;
  /** Stream to write between the page's content and the mark. */
  readonly closing: SharedStream;
  /** Operators to write after the mark. */
  readonly ending: string;

  /**
   * Saves `before` + `behind` graphics states before the content. Restores `before` states between the content and the
   * mark, and the remaining `behind` states after the mark. The content may therefore leave fewer than `before`
   * operators `q` open, or contain up to `behind` superfluous operators `Q`. Some readers end the page at a `Q` without
   * a saved state. PDF/A parts 1 to 3 allow 28 levels including the levels of the content (ISO 19005-1, 6.1.12, after
   * ISO 32000-1, Annex C).
   * @param color see {@link INITIAL_COLOR}; empty if the file must not use device colors
   */
  constructor(before: number, behind: number, color: string) {
    this.opening = new SharedStream(`${"/Span BMC ".repeat(SEQUENCES)}${"q ".repeat(before + behind)}${color}\n`);
    // The operator `n` drops an unpainted path, and `BT ET` ends an open text object.
    const restored = `n BT ET ${"EMC ".repeat(SEQUENCES)}${"Q ".repeat(before)}\n`;
    this.closing = new SharedStream(LINES + IMAGE + restored);
    this.ending = `${"Q ".repeat(behind)}\n`;
  }
}

/**
 * Maximum number of marked-content sequences that a form may leave open. The guards for all these sequences take only a
 * few bytes when deflated.
 */
const SEQUENCES_OF_FORMS = 64;

/**
 * Returns the operators that draw the forms with the isolated content of a page. Some readers let a form leave marked
 * content, a path, a clip or a text object open. The returned operators also close these objects.
 * @param names the names of the forms in the resources of the page
 * @param pdfa the file's claim to be PDF/A
 */
export function drawForms(names: readonly string[], pdfa: Pdfa | undefined): string {
  const drawn = names.map((name) => `q /${name} Do n BT ET Q\n`).join("");
  return `${"/Span BMC ".repeat(SEQUENCES_OF_FORMS)}${initialColor(pdfa)}\n${drawn}${"EMC ".repeat(SEQUENCES_OF_FORMS)}\n`;
}

const GUARDS = new Guards(31, 30, INITIAL_COLOR);
const COLORLESS_GUARDS = new Guards(31, 30, "");
/**
 * Guards for files that allow at most 28 levels of saved graphics states. The content of such a file must not leave a
 * level open.
 */
const FEW_GUARDS = new Guards(6, 6, INITIAL_COLOR);
const FEW_COLORLESS_GUARDS = new Guards(6, 6, "");

/**
 * Returns the guards for the pages of a file.
 * @param pdfa the file's claim to be PDF/A, if any
 */
export function guardsFor(pdfa: Pdfa | undefined): Guards {
  const hasColor = initialColor(pdfa) !== "";
  if (pdfa && pdfa.part <= 3) return hasColor ? FEW_GUARDS : FEW_COLORLESS_GUARDS;
  return hasColor ? GUARDS : COLORLESS_GUARDS;
}

/**
 * Returns the operators that set the initial color, or an empty string. PDF/A allows device colors only with an output
 * intent (ISO 19005-1, 6.2.3.3; ISO 19005-2, 6.2.4.3).
 */
function initialColor(pdfa: Pdfa | undefined): string {
  return pdfa && pdfa.intent === undefined ? "" : INITIAL_COLOR;
}
