/** Finds pages among all objects of a damaged file whose page tree has no node. */
import type { Objects } from "../objects/objects.ts";
import { scanPageAttributes } from "../pages/pageAttributes.ts";
import { isDictionary, Malformed } from "../syntax/lexer.ts";

/**
 * Returns whether the file has a page besides `page`. Some readers show all pages of the file if the catalog does not
 * lead to a page-tree node.
 * @throws EngineError too_complex
 */
export async function hasOtherPage(objects: Objects, page: number): Promise<boolean> {
  const { table, source } = objects;
  const isPage = (bytes: Uint8Array, at: number) =>
    isDictionary(bytes, at) && scanPageAttributes(bytes.subarray(at), 0).isPage;
  for (const num of table.numbers()) {
    if (num === page || !table.isInUse(num)) continue;
    source.meter.charge("visitTreeObject");
    await source.meter.yieldIfDue();
    try {
      if (await objects.run(() => objects.at(num, isPage))) return true;
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
    }
  }
  return false;
}
