/**
 * Names that other services and tools give to a field. The service does not accept these names, because a request must
 * mean the same everywhere. The error suggests the right field.
 */
const OTHER_NAMES: Record<string, readonly string[]> = {
  file: ["pdf", "document", "doc", "input", "source", "src", "url", "link", "attachment"],
  image: ["watermark", "logo", "img", "picture", "png", "icon"],
  text: ["watermark", "content", "message", "label", "words", "caption", "title", "string"],
  template: ["style", "preset"],
  position: ["location", "placement", "place", "align", "anchor", "gravity"],
  opacity: ["alpha", "transparency"],
  layer: ["z-index", "background", "behind", "underlay"],
  rotation: ["rotate", "angle", "degrees", "tilt"],
  color: ["fill", "foreground"],
  scale: ["size", "width", "zoom"],
  edge: ["halo", "outline", "stroke", "glow"],
  font_size: ["size", "pt"],
  font: ["font-family", "typeface", "font-style", "font-name"],
  lang: ["language", "locale"],
  page_start: ["start", "first-number"],
  margin: ["padding", "inset", "border"],
  tile_gap: ["gap", "spacing"],
  password: ["pass", "passphrase", "pwd"],
  filename: ["name", "output", "out"],
};

/** Returns the field among `known` that other services call `name`. Returns undefined if there is no such field. */
export function fieldCalled(name: string, known: readonly string[]): string | undefined {
  const written = name.toLowerCase().replace(/[\s_-]+/g, "-");
  return known.find((field) => OTHER_NAMES[field]?.includes(written));
}
