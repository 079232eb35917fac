import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { LoadFont } from "../src/engine/index.ts";
import { ROOT } from "./root.ts";

/** Reads a font of the repository. The package @overprint/cli uses `loadFont` of @overprint/fonts instead. */
export const loadFont: LoadFont = (path) => readFile(join(ROOT, "fonts", path));
