/** A replacement of a text that occurs exactly once in its file. */
export interface Edit {
  /** Path from the root of the checkout. */
  file: string;
  anchor: string;
  replacement: string;
}

/** Returns an edit that replaces `anchor`. */
export function replace(file: string, anchor: string, replacement: string): Edit {
  return { file, anchor, replacement };
}

/** Returns an edit that adds `text` after `anchor`. */
export function insertAfter(file: string, anchor: string, text: string): Edit {
  return { file, anchor, replacement: anchor + text };
}

/**
 * Applies edits in their order.
 * @param read returns the text of a file before the edits
 * @returns the new texts of the edited files, by path
 * @throws Error if an anchor does not occur exactly once
 */
export function editedFiles(edits: readonly Edit[], read: (file: string) => string): Map<string, string> {
  const texts = new Map<string, string>();
  for (const { file, anchor, replacement } of edits) {
    const text = texts.get(file) ?? read(file);
    const [before, after, ...others] = text.split(anchor);
    if (after === undefined || others.length > 0) {
      const found = after === undefined ? "does not occur" : "occurs more than once";
      throw new Error(`The anchor of an edit ${found} in ${file}: ${JSON.stringify(anchor)}. Update the recipe.`);
    }
    texts.set(file, before + replacement + after);
  }
  return texts;
}
