import axe from "axe-core";
import type { Frame, Page } from "playwright-core";

/**
 * Returns the accessibility violations that axe finds in the current page. axe runs through the browser's developer
 * tools, which a Content-Security-Policy cannot block.
 */
export async function violations(page: Page | Frame): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations: found } = (await page.evaluate("axe.run()")) as axe.AxeResults;
  return found.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}
