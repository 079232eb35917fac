/** Thrown to end a purchase. The message says what the visitor must do. */
export class Stopped extends Error {
  override name = "Stopped";
}
