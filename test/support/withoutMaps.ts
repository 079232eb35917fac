import type { Plugin } from "vitest/config";

/** Vite's plugin for tests in workerd: sends it packages without source maps, which are as long again as they are. */
export const withoutMaps: Plugin = {
  name: "overprint:without-maps",
  enforce: "post",
  transform: { filter: { id: /\/node_modules\// }, handler: (code) => ({ code, map: { mappings: "" } }) },
};
