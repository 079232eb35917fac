/**
 * Tests `readSettings`, which reads the playground's controls. The test page sells a made-up product with a field of
 * each kind.
 */
import { join } from "node:path";
import { build } from "esbuild";
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { Controls } from "../../src/site/controls.tsx";
import { madeUpProduct } from "../support/madeUpProduct.ts";
import { describePage } from "./running.ts";

const product = madeUpProduct();

describePage("the reader of the page's controls", (running) => {
  let script: string;
  beforeAll(async () => {
    const { outputFiles } = await build({
      entryPoints: [join(import.meta.dirname, "../../web/settings.ts")],
      ...{ bundle: true, write: false, format: "iife", globalName: "settings", target: "es2023" },
    });
    script = outputFiles[0]!.text;
  });

  /** Opens a page with the controls, lets `act` change them, and returns the fields that `readSettings` then reads. */
  async function fieldsAfter(act: (page: Page) => Promise<unknown>): Promise<object> {
    const page = await running.browser.newPage();
    try {
      const operation = '<input type="radio" name="operation" value="image" checked>';
      await page.setContent(`${operation}${Controls({ product })}`);
      await page.addScriptTag({ content: script });
      await act(page);
      return (await page.evaluate("settings.readSettings().fields")) as object;
    } finally {
      await page.close();
    }
  }

  test("readSettings omits controls at their default values, except required controls", async () => {
    expect(await fieldsAfter(async () => undefined)).toEqual({ title: "" });
  });

  test.each<[string, string, (page: Page) => Promise<unknown>, unknown]>([
    ["text", "title", (page) => page.fill("[name=title]", "12"), "12"],
    ["a number", "size", (page) => page.fill("[name=size]", "2.5"), 2.5],
    ["a checked box", "bold", (page) => page.check("[name=bold]"), true],
    ["a boolean from a list", "glow", (page) => page.selectOption("[name=glow]", "false"), false],
    ["a choice", "layer", (page) => page.selectOption("[name=layer]", "under"), "under"],
  ])("readSettings reads the value of the control %s as its JSON type", async (_, field, act, value) => {
    const fields = { title: "", ...(await fieldsAfter(act)) };
    expect(fields).toEqual({ title: "", [field]: value });
  });

  test("readSettings omits a checkbox that the visitor has checked and then cleared", async () => {
    const fields = await fieldsAfter(async (page) => {
      await page.check("[name=bold]");
      await page.uncheck("[name=bold]");
    });
    expect(fields).toEqual({ title: "" });
  });
});
