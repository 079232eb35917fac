import { inflateSync } from "node:zlib";
import { latin1 } from "../engine/pdf/fixture.ts";

/** Returns a PDF file as text, with inflated streams. */
export function readable(output: Uint8Array): string {
  return latin1(output).replace(/(<<[^\n]*\/FlateDecode[^\n]*>>)\nstream\n(.*?)\nendstream/gs, (whole, dict, data) => {
    try {
      return `${dict}\nstream\n${inflateSync(Buffer.from(data, "latin1")).toString("latin1")}\nendstream`;
    } catch {
      return whole;
    }
  });
}
