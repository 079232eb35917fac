/** Enables the copy buttons. Each button confirms the copy for two seconds. */
export function enableCopying(): void {
  const announcement = document.getElementById("copied")!;
  for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-copies]"))
    button.addEventListener("click", async () => {
      const code = document.getElementById(button.dataset.copies!)!;
      const copied = await navigator.clipboard.writeText(code.textContent!).then(
        () => true,
        () => false,
      );
      // selects the code, so that the visitor can copy it with the keyboard
      if (!copied) getSelection()?.selectAllChildren(code);
      const said = copied ? "Copied" : "Selected";
      button.textContent = said;
      announcement.textContent = said;
      setTimeout(() => {
        button.textContent = "Copy";
        announcement.textContent = "";
      }, 2000);
    });
}
