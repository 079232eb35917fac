/**
 * Operators around a page's content that separate the mark from it, regardless of the state that the content leaves or
 * where it breaks off. The content is well-formed or has not been checked. All operators are legal and without effect
 * around well-formed content, which stays balanced.
 */
import { deflate } from "#platform/zlib";
import { encodeLatin1 } from "../../bytes.ts";
import type { Pdfa } from "../document/pdfa.ts";

/**
 * Selects the color space that content begins with (8.4.1). On a page that blends in RGB, Ghostscript begins with another,
 * and shows gray that content sets with `sc` as black.
 */
const INITIAL_COLOR = "0 g";

/** Number of marked-content sequences that content may leave open, or end too many of. */
const SEQUENCES = 4;

/** Closes nested arrays and dictionaries in any order. */
const BRACKETS = "]>>]>>]>>]";

/**
 * Lines that are comments unless content ends within a string. There is one line for a hexadecimal string, and one for
 * each open parenthesis. The line that ends the string also ends what contains it, and later lines are comments again.
 * The number of lines is large because a truncated inline image consumes the bytes that it lacks: up to 4 KiB, the
 * maximum that ISO 32000-2, 8.9.7 recommends for such an image. The first line ends an unfinished token. It is not
 * empty, because pdf.js gives up at a sign with only line ends between it and a comment.
 */
const LINES = `\n \n%>${BRACKETS}\n${`%)${BRACKETS}\n`.repeat(320)}`;

/**
 * An inline image, for content that ends within an array, a dictionary or an inline image. Readers take `BI` and `ID`
 * for elements there, so that the data are read as what they look like: they end all that is open, and drop the
 * operands that are left. `EI` ends an inline image. Anywhere else it is a small stencil mask that masks out all samples,
 * of 1,200 to the inch, which checks for print have nothing to say about.
 */
const DATA = `${BRACKETS} scn n `;
const IMAGE = `BT ET q .06 0 0 ${(DATA.length * 0.06).toFixed(2)} 0 0 cm /Artifact BMC\nBI/W 1/H ${DATA.length}/IM true/BPC 1/D[1 0] ID ${DATA}\nEI Q EMC\n`;

/** A content stream that is the same for all documents, deflated when it is first used. */
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

/** The operators around a page's content, which then runs in one of many saved copies of the initial graphics state. */
class Guards {
  /** Goes before the content. */
  readonly opening: SharedStream;
  /** Goes between the content and the mark. */
  readonly closing: SharedStream;
  /** Goes behind the mark. */
  readonly ending: string;

  /**
   * Sets how many saved states are restored before the mark is drawn, and how many behind it. Content may leave fewer
   * `q` open than the first, or have as many `Q` too many as the second: some readers end the page at the first `Q` that
   * finds no saved state. All of them nest around the content. PDF/A up to part 3 allows 28 levels in all (ISO 19005-1,
   * 6.1.12, after ISO 32000-1, Annex C).
   * @param color see {@link INITIAL_COLOR}; empty if the file must not use device colors
   */
  constructor(before: number, behind: number, color: string) {
    this.opening = new SharedStream(`${"/Span BMC ".repeat(SEQUENCES)}${"q ".repeat(before + behind)}${color}\n`);
    // `n` drops a path that was not painted, `BT ET` ends a text object that was left open.
    const restored = `n BT ET ${"EMC ".repeat(SEQUENCES)}${"Q ".repeat(before)}\n`;
    this.closing = new SharedStream(LINES + IMAGE + restored);
    this.ending = `${"Q ".repeat(behind)}\n`;
  }
}

/** Number of marked-content sequences that a form may leave open. Deflated, they take a few bytes. */
const SEQUENCES_OF_FORMS = 64;

/**
 * Returns the operators that draw forms with the isolated content of a page. Readers let a form leave marked content, a
 * path, a clip and a text object behind.
 * @param names the names of the forms in the resources of the page
 * @param pdfa the file's claim to be PDF/A
 */
export function drawForms(names: readonly string[], pdfa: Pdfa | undefined): string {
  const drawn = names.map((name) => `q /${name} Do n BT ET Q\n`).join("");
  return `${"/Span BMC ".repeat(SEQUENCES_OF_FORMS)}${initialColor(pdfa)}\n${drawn}${"EMC ".repeat(SEQUENCES_OF_FORMS)}\n`;
}

const GUARDS = new Guards(31, 30, INITIAL_COLOR);
const COLORLESS_GUARDS = new Guards(31, 30, "");
/** For files that allow content no more than 28 levels, and do not let it leave any behind. */
const FEW_GUARDS = new Guards(6, 6, INITIAL_COLOR);
const FEW_COLORLESS_GUARDS = new Guards(6, 6, "");

/** Returns the guards for the pages of a file that claims to be PDF/A, or does not. */
export function guardsFor(pdfa: Pdfa | undefined): Guards {
  const hasColor = initialColor(pdfa) !== "";
  if (pdfa && pdfa.part <= 3) return hasColor ? FEW_GUARDS : FEW_COLORLESS_GUARDS;
  return hasColor ? GUARDS : COLORLESS_GUARDS;
}

/** PDF/A allows device colors only with an output intent (ISO 19005-1, 6.2.3.3; ISO 19005-2, 6.2.4.3). */
function initialColor(pdfa: Pdfa | undefined): string {
  return pdfa && pdfa.intent === undefined ? "" : INITIAL_COLOR;
}
