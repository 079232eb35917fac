import { LABELS, LENGTHS } from "./fieldWords.ts";

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
