import { md5 } from "#platform/hashes";
import { encodeLatin1 } from "../../bytes.ts";

/**
 * Returns what the resource names of the mark begin with in a file: three letters that differ from file to file, so that
 * no one search takes the marks out of many files.
 * @param trailers the text of the file's trailers
 * @param length the file's, in bytes
 */
export function namePrefix(trailers: readonly Uint8Array[], length: number): string {
  const [first, ...others] = md5(...trailers, encodeLatin1(String(length))).subarray(0, 3);
  return String.fromCharCode(0x41 + (first! % 26), ...others.map((byte) => 0x61 + (byte % 26)));
}
