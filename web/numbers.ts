/**
 * Reads number fields, and changes them with the arrow keys. Number fields are text inputs, because inputs of type
 * number ignore a decimal comma.
 */

/** Returns a number as the API spells it: with a decimal point. Other texts stay unchanged. */
export function withPoint(text: string): string {
  return text.trim().replace(/^([+-]?\d*),(\d+)$/, "$1.$2");
}

/** Writes decimal commas as points when the visitor leaves a field. The arrow keys up and down change a number by one. */
export function enableNumbers(): void {
  for (const field of document.querySelectorAll<HTMLInputElement>("input[type=text][data-kind=number]")) {
    field.addEventListener("change", () => {
      field.value = withPoint(field.value);
    });
    field.addEventListener("keydown", (event) => {
      const by = { ArrowUp: 1, ArrowDown: -1 }[event.key];
      const value = Number(withPoint(field.value));
      if (by === undefined || Number.isNaN(value)) return;
      event.preventDefault();
      field.value = String(Number((value + by).toFixed(4)));
      field.dispatchEvent(new Event("input", { bubbles: true }));
    });
  }
}
