import type { Plugin } from "vitest/config";

/** Vite plugin for tests in workerd: removes source maps from packages, because they double the size of each module. */
export const withoutMaps: Plugin = {
  name: "overprint:without-maps",
  enforce: "post",
  transform: { filter: { id: /\/node_modules\// }, handler: (code) => ({ code, map: { mappings: "" } }) },
};
