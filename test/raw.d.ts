/** The text of a project file. The tests' bundler replaces the import with this text. */
declare module "*?raw" {
  const text: string;
  export default text;
}
