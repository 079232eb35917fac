import { md5 } from "#platform/hashes";
import { encodeLatin1 } from "../../bytes.ts";

/**
 * Returns the prefix of the mark's resource names: three letters that differ from file to file. If all files had equal
 * names, a single search could remove the marks of many files.
 * @param trailers the texts of the file's trailers
 * @param length length of the file in bytes
 */
export function namePrefix(trailers: readonly Uint8Array[], length: number): string {
  const [first, ...others] = md5(...trailers, encodeLatin1(String(length))).subarray(0, 3);
  return String.fromCharCode(0x41 + (first! % 26), ...others.map((byte) => 0x61 + (byte % 26)));
}
