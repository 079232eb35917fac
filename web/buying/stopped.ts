/** Thrown where a purchase goes no further: its message is for the reader, and says what to do. */
export class Stopped extends Error {
  override name = "Stopped";
}
