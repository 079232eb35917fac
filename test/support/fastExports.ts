import type { Plugin } from "vitest/config";

/**
 * Vite plugin that speeds up imported names in tests. Vite stores a module's exports in an object without a prototype.
 * V8 represents such objects as dictionaries, which makes loops over bytes five times slower. V8 optimizes an object
 * once a property has been looked up with the object as a prototype.
 */
export const fastExports: Plugin = {
  name: "overprint:fast-exports",
  enforce: "post",
  transform: {
    filter: { id: /\.[cm]?[jt]s$/ },
    // inserts no line break, because line numbers must stay the same
    handler: (code) => ({ code: `${LOOK_UP_AS_PROTOTYPE}${code}`, map: null }),
  },
};

const LOOK_UP_AS_PROTOTYPE =
  "{ const heir = Object.create(__vite_ssr_exports__); const lookUp = () => heir.absent; lookUp(); lookUp(); } ";
