/**
 * Stands for one digit of the page number, whose value is not known yet: any one is as wide. A noncharacter, so that no
 * caller's text has it and no font draws it.
 */
export const DIGIT_SLOT = "\ufdd0";
