/**
 * Placeholder for one digit of the page number. All digits have the same width. The placeholder is a noncharacter
 * (Unicode, 23.7). The service rejects noncharacters in a caller's text, and no font contains them.
 */
export const DIGIT_SLOT = "\ufdd0";
