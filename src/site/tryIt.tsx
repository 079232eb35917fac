/**
 * Sends the example of a paid operation with the sample files, and pays with the development key. Pages contain this
 * component in development on loopback only. `web/docs.ts` is its client script.
 */
export function TryIt({ path, fields }: { path: string; fields: Readonly<Record<string, unknown>> }) {
  const id = `try-${path.split("/").at(-1)}`;
  return (
    <form class="try" data-path={path}>
      <h4>Try it</h4>
      <label for={id}>The fields of the call, as JSON. The page adds the sample files.</label>
      <textarea id={id} rows={4} spellcheck={false}>
        {JSON.stringify(fields, null, 2)}
      </textarea>
      <button type="submit" class="button">
        Send, paid with the development key
      </button>
      <output />
    </form>
  );
}
