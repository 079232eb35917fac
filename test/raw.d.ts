/** The text of a project file, which the tests' bundler inserts in place of the import. */
declare module "*?raw" {
  const text: string;
  export default text;
}
