/** The labels of request fields in plain words, by the name of the field. */
export const LABELS: Readonly<Record<string, string>> = {
  text: "Text",
  image: "Image",
  template: "Template",
  position: "Position",
  opacity: "Opacity",
  layer: "Layer",
  rotation: "Rotation",
  font_size: "Size",
  scale: "Width",
  edge: "White edge",
  color: "Color",
  lang: "Language",
  font: "Typeface",
  page_start: "First page number",
  margin: "Margin",
  box: "Page box",
  offset_x: "Move right",
  offset_y: "Move up",
  tile_gap: "Gap between copies",
  password: "Password of the PDF",
  filename: "File name of the result",
};

/** Fields whose values are lengths. The API accepts points. The page also accepts other units. */
export const LENGTHS: readonly string[] = ["font_size", "margin", "offset_x", "offset_y"];

/** A field's label: its name in plain words, and its name in the API. */
export function FieldLabel({ name }: { name: string }) {
  const label = LABELS[name];
  return (
    <>
      {label && (
        <>
          <span data-label>{label}</span>{" "}
        </>
      )}
      <code class={label && "api-name"} aria-hidden={label && "true"}>
        {name}
      </code>
      {LENGTHS.includes(name) && (
        <span class="unit" data-unit>
          pt
        </span>
      )}
      {name === "rotation" && <span class="unit">°</span>}
    </>
  );
}
