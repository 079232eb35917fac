import type { Plugin } from "vitest/config";

/**
 * Vite plugin for tests in workerd that removes source maps from packages. A source map would double the size of a
 * module.
 */
export const withoutMaps: Plugin = {
  name: "overprint:without-maps",
  enforce: "post",
  transform: { filter: { id: /\/node_modules\// }, handler: (code) => ({ code, map: { mappings: "" } }) },
};
