/** A file of the project as text: the bundler of the tests reads it. */
declare module "*?raw" {
  const text: string;
  export default text;
}

interface ImportMeta {
  /** Files of the project as text, by their path from here. */
  glob(pattern: string, options: { query: "?raw"; import: "default"; eager: true }): Record<string, string>;
}
