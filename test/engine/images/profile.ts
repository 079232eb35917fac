import { encode } from "../../support/bytes.ts";
import { concat, uint32 } from "./encodePng.ts";

/** Returns the header of an ICC profile without tags (ICC.1:2010, 7.2), which readers accept as a profile. */
export function profile({
  space = "RGB ",
  deviceClass = "mntr",
  version = 4,
  signature = "acsp",
  length = 200,
}): Uint8Array {
  const header = concat(
    uint32(length, 0),
    Uint8Array.of(version, 0, 0, 0),
    encode(`${deviceClass}${space}XYZ `),
    new Uint8Array(12),
    encode(signature),
  );
  return concat(header, new Uint8Array(length - header.length));
}
