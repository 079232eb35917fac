/**
 * Placeholder for one digit of the page number. All digits have the same width. The placeholder is a noncharacter: the
 * service rejects noncharacters in a caller's text, and no font has them.
 */
export const DIGIT_SLOT = "\ufdd0";
