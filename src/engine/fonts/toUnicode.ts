/** Writes ToUnicode CMaps, which contain the text of each code of a font (ISO 32000-2, 9.10.3). */

/**
 * Maximum number of codes in a range. The codes of a range may differ only in the last byte, and an array has at most
 * 100 entries (Adobe Technical Note 5014).
 */
const MAX_RANGE = 100;

/** Returns a ToUnicode CMap. The codes have `bytes` bytes, start at 1, and map to `texts` in order. */
export function toUnicodeCMap(texts: readonly string[], bytes: 1 | 2): string {
  const hex = (code: number) => `<${hexCode(code, bytes)}>`;
  let ranges = "";
  for (let code = 1; code <= texts.length; ) {
    const end = Math.min(code + MAX_RANGE, texts.length + 1, ((code >> 8) + 1) << 8);
    const strings = texts.slice(code - 1, end - 1).map((text) => `<${utf16Hex(text)}>`);
    ranges += `1 beginbfrange\n${hex(code)}${hex(end - 1)}[${strings.join("")}]\nendbfrange\n`;
    code = end;
  }

  return `/CIDInit/ProcSet findresource begin 12 dict begin begincmap
/CMapName/U def/CMapType 2 def
1 begincodespacerange
${hex(0)}${hex(256 ** bytes - 1)}
endcodespacerange
${ranges}endcmap CMapName currentdict/CMap defineresource pop end end`;
}

/** Returns a code of `bytes` bytes as hexadecimal digits. */
export function hexCode(code: number, bytes: 1 | 2): string {
  return code.toString(16).padStart(2 * bytes, "0");
}

function utf16Hex(text: string): string {
  return Array.from({ length: text.length }, (_, i) => hexCode(text.charCodeAt(i), 2)).join("");
}
