/** ToUnicode CMaps: which text a font's codes stand for (ISO 32000-2, 9.10.3). */

/** A section of a CMap holds at most this many entries (Adobe Technical Note 5014). */
const MAX_SECTION = 100;

/** A ToUnicode CMap for two-byte `code`s, each four hexadecimal digits. A code without text is left out. */
export function toUnicodeCMap(entries: readonly { code: string; text: string }[]): Uint8Array {
  const lines = entries.filter(({ text }) => text !== "").map(({ code, text }) => `<${code}> <${utf16Hex(text)}>`);

  let sections = "";
  for (let i = 0; i < lines.length; i += MAX_SECTION) {
    const section = lines.slice(i, i + MAX_SECTION);
    sections += `${section.length} beginbfchar\n${section.join("\n")}\nendbfchar\n`;
  }

  return new TextEncoder().encode(`/CIDInit /ProcSet findresource begin
12 dict begin
begincmap
/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def
/CMapName /Adobe-Identity-UCS def
/CMapType 2 def
1 begincodespacerange
<0000> <FFFF>
endcodespacerange
${sections}endcmap
CMapName currentdict /CMap defineresource pop
end
end
`);
}

function utf16Hex(text: string): string {
  return Array.from({ length: text.length }, (_, i) => text.charCodeAt(i).toString(16).padStart(4, "0")).join("");
}
