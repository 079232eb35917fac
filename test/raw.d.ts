/** A file of the project as text: the bundler of the tests reads it. */
declare module "*?raw" {
  const text: string;
  export default text;
}
