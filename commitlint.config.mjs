/** Commit subjects: `area: imperative`, at most 72 characters. `npm run commits` checks them. */
export default {
  parserPreset: {
    parserOpts: {
      headerPattern: /^([a-z][a-z0-9/,-]*)(?:\(([^)]*)\))?!?: (.+)$/,
      headerCorrespondence: ["type", "scope", "subject"],
    },
  },
  rules: {
    "header-max-length": [2, "always", 72],
    "subject-empty": [2, "never"],
    "subject-full-stop": [2, "never", "."],
    "type-empty": [2, "never"],
  },
};
