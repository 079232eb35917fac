import axe from "axe-core";
import type { Frame, Page } from "playwright-core";

/** What axe finds wrong in the page as it is. It is evaluated by the browser's tools, which no policy stops. */
export async function violations(page: Page | Frame): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations: found } = (await page.evaluate("axe.run()")) as axe.AxeResults;
  return found.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}
