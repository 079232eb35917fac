/**
 * Text marks in workerd: CPU time of the first in an isolate and of later ones, for Latin and Chinese, against pdf-lib with
 * the same fonts. `node bench/text.ts`
 */
