/**
 * Placeholder for one digit of the page number. All digits are equally wide. It is a noncharacter: the service rejects
 * those in a caller's text, and no font has them.
 */
export const DIGIT_SLOT = "\ufdd0";
