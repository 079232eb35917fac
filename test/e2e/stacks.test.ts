import { SourceMap } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { withSourcePlaces } from "../../scripts/lib/sourcePlaces.ts";

test("positions in a minified script become source positions, even if a message names another folder, and others are kept", async () => {
  const source = 'export function spoil(): never {\n  throw new Error("spoiled");\n}\n';
  const folder = join(tmpdir(), "built");
  const { outputFiles } = await build({
    stdin: { contents: source, sourcefile: "spoil.ts", loader: "ts", resolveDir: tmpdir() },
    ...{ outfile: join(folder, "index.js"), format: "esm", minify: true, sourcemap: "external", write: false },
  });
  const [map, script] = ["index.js.map", "index.js"].map(
    (name) => outputFiles.find(({ path }) => path.endsWith(name))!,
  );
  const column = script!.text.indexOf("new Error") + 1;
  const read = (text: string) =>
    withSourcePlaces(text, new SourceMap(JSON.parse(map!.text)), folder, join(tmpdir(), "built/.."));

  expect(read(`at o (index.js:1:${column})\n    at file:///srv/dist/server/index.js:1:${column}`)).toBe(
    "at o (spoil.ts:2:9)\n    at spoil.ts:2:9",
  );
  const others = "at index.js:999:1, at other.js:1:1";
  expect(read(others)).toBe(others);
});
