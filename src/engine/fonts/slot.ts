/**
 * Stands for one digit of the page number until it is known; all digits are equally wide. A noncharacter: the service
 * rejects those in a caller's text, and no font has them.
 */
export const DIGIT_SLOT = "\ufdd0";
