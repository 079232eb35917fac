/** Ends a purchase. The message is for the visitor, and says what to do. */
export class Stopped extends Error {
  override name = "Stopped";
}
