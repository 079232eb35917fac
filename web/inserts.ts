/** Runs the buttons that insert placeholders into the text. */
export function enableInserts(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-inserts]"))
    button.addEventListener("click", () => {
      const text = document.getElementById(button.dataset.inserts!) as HTMLTextAreaElement;
      text.setRangeText(button.value, text.selectionStart, text.selectionEnd, "end");
      text.dispatchEvent(new Event("input", { bubbles: true }));
      text.focus();
    });
}
