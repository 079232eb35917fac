import type { Plugin } from "vitest/config";

/**
 * Vite plugin that speeds up access to imported names in tests. Vite stores a module's exports in an object without a
 * prototype, which V8 represents as a dictionary. This makes loops over bytes five times slower. V8 optimizes the
 * object once another object inherits from it and looks up a property.
 */
export const fastExports: Plugin = {
  name: "overprint:fast-exports",
  enforce: "post",
  transform: {
    filter: { id: /\.[cm]?[jt]s$/ },
    // the inserted code has no line break, so that line numbers stay the same
    handler: (code) => ({ code: `${LOOK_UP_AS_PROTOTYPE}${code}`, map: null }),
  },
};

const LOOK_UP_AS_PROTOTYPE =
  "{ const heir = Object.create(__vite_ssr_exports__); const lookUp = () => heir.absent; lookUp(); lookUp(); } ";
