/** The hints of request fields in plain words, by the name of the field. `{unit}` stands for the visitor's unit. */
const HINTS: Readonly<Record<string, string>> = {
  text: "Press Enter for a new line. Words in braces are filled in. Write {{ for a brace.",
  image: "A PNG or JPEG image.",
  opacity: "At 0 %, the mark is invisible. At 100 %, it hides what is under it.",
  layer: "Over the page, or under its text and pictures. Under the page, nothing is transparent.",
  rotation: "Counter-clockwise, as the reader sees the page.",
  font_size: "Without a size, the text is as large as the template and the page allow.",
  scale: "Share of the page’s width. The image shrinks if it would leave the page.",
  color: "Without a color, the template’s color applies.",
  edge: "White edge around a transparent PNG. Default: only where the page is dark, and if the colors need an edge.",
  lang: "Selects the letterforms of Chinese, Japanese, Korean, Urdu and Serbian texts. Without a language, the text and the PDF decide.",
  font: "Style of Latin, Greek and Cyrillic letters. Other scripts have one style.",
  page_start: "Number of the first page, for {page}.",
  margin: "Least distance from the page’s edges, in {unit}. At most a tenth of the page’s shorter side applies.",
  box: "Area from which positions count. Default: the trimmed page if it is clearly smaller, else the visible page.",
  offset_x: "Distance in {unit} to the right of the position. A negative number moves the mark to the left.",
  offset_y: "Distance in {unit} above the position. A negative number moves the mark down.",
  tile_gap: "Share of the mark’s size. Default: 0.5 in a row, and 1.5 between rows.",
  password: "Needed for an encrypted PDF. The browser does not store it.",
  filename: "Name of the file that you download.",
};

/** Returns the hint of a field in plain words. If none exists, returns the field's description in the API. */
export function hintOf(name: string, description: string | undefined): string | undefined {
  return HINTS[name] ?? description;
}

/** A hint in which `{unit}` changes with the unit that the visitor chooses. */
export function Hint({ text }: { text: string | undefined }) {
  const [before, after] = text?.split("{unit}") ?? [];
  return (
    <>
      {before}
      {after !== undefined && <span data-unit-name>points</span>}
      {after}
    </>
  );
}
