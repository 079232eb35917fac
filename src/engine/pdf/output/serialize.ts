/** Writes rewritten and new objects as bytes, directly and in object streams (ISO 32000-2, 7.3 and 7.5.7). */
import { decodeLatin1, encodeLatin1, toHex } from "../../bytes.ts";
import type { NewObject } from "../document/newObject.ts";
import type { Objects } from "../objects/objects.ts";
import { Rewrite } from "../pages/rewrite.ts";
import type { Cipher } from "../security/encryption.ts";
import type { Meter } from "../source/meter.ts";
import { ByteWriter } from "../syntax/byteWriter.ts";
import { LESS_THAN, LINE_FEED, PAREN_OPEN } from "../syntax/characters.ts";
import { isDictionary, skipHexString, skipLiteralString } from "../syntax/lexer.ts";
import { parseValue } from "../syntax/values.ts";
import { deflateInTurns } from "./deflateInTurns.ts";

/** A member of an object stream. */
export interface Member {
  num: number;
  text: Uint8Array;
}

/**
 * Writes the text of a rewritten object with its splices applied.
 * @throws Error if splices overlap. Overlaps are a defect of the engine, and would make the object malformed
 */
export function writeSpliced(out: ByteWriter, { num, text, splices }: Rewrite): void {
  let at = 0;
  // At the same offset, an insertion comes before a replacement.
  for (const splice of splices.toSorted((a, b) => a.at - b.at || a.remove - b.remove)) {
    if (splice.at < at) throw new Error(`object ${num} has overlapping splices at offset ${splice.at}`);
    out.copy(text, at, splice.at);
    out.text(splice.insert);
    at = splice.at + splice.remove;
  }
  out.copy(text, at, text.length);
}

/** Text that follows the data of a stream. */
export const END_OF_DATA = "\nendstream";

/** Returns the length in bytes of a rewritten object, including the data of a stream. */
export function lengthOf({ length: ownLength, splices, data }: Rewrite): number {
  const follows = data ? data.end - data.start + END_OF_DATA.length : 0;
  return splices.reduce((length, { remove, insert }) => length + insert.length - remove, ownLength + follows);
}

/** Returns the text of a rewritten object with its splices applied. */
export function spliced(rewrite: Rewrite): Uint8Array {
  const out = new ByteWriter(lengthOf(rewrite));
  writeSpliced(out, rewrite);
  return out.joined();
}

/** Writes a complete new object with generation 0. Encrypts the object if the document is encrypted. */
export function writeObject(out: ByteWriter, num: number, object: NewObject, cipher: Cipher | undefined): void {
  out.text(`${num} 0 obj\n`);
  if (typeof object === "string") out.text(cipher ? encryptStrings(object, num, cipher) : object);
  else {
    const dict = cipher ? encryptStrings(object.dict, num, cipher) : object.dict;
    const data = cipher ? cipher.encryptStream(num, 0, object.data) : object.data;
    out.text(`<<${dict}/Length ${data.length}>>\nstream\n`);
    out.bytes(data);
    out.text(END_OF_DATA);
  }
  out.text("\nendobj\n");
}

/** Packs objects into an object stream, and returns the stream as a new object. */
export async function packObjects(members: readonly Member[], meter: Meter): Promise<NewObject> {
  const body = new ByteWriter();
  let head = "";
  for (const { num, text } of members) {
    head += `${num} ${body.length} `;
    body.bytes(text);
    body.byte(LINE_FEED);
  }
  return {
    dict: `/Type/ObjStm/N ${members.length}/First ${head.length}/Filter/FlateDecode`,
    data: await deflateInTurns([encodeLatin1(head), ...body.parts()], head.length + body.length, meter),
  };
}

/**
 * Encrypts each string in the text of an object that is not in an object stream (ISO 32000-2, 7.6.2). Writes the
 * encrypted strings in hexadecimal.
 */
function encryptStrings(text: string, num: number, cipher: Cipher): string {
  return mapStrings(text, (string) => cipher.encryptString(num, 0, string));
}

/**
 * Returns a rewritten object with its strings encrypted for its own number. Re-encrypts strings that come from an
 * object with another number. Encrypts strings that come from an object stream, because such strings are not encrypted
 * separately (ISO 32000-2, 7.6.2). Other objects stay unchanged.
 */
export function rekeyed(rewrite: Rewrite, { cipher, table }: Objects): Rewrite {
  const { num, origin } = rewrite;
  const isEncrypted = table.isInFile(origin);
  if (!cipher || (isEncrypted && origin === num)) return rewrite;
  const [from, to] = [table.generationOf(origin), table.generationOf(num)];
  const text = mapStrings(decodeLatin1(spliced(rewrite)), (string) =>
    cipher.encryptString(num, to, isEncrypted ? cipher.decryptString(origin, from, string) : string),
  );
  return new Rewrite(num, encodeLatin1(text));
}

/** Applies `map` to each string in the text of an object, and writes the result as a hexadecimal string. */
function mapStrings(text: string, map: (string: Uint8Array) => Uint8Array): string {
  const bytes = encodeLatin1(`${text}\n`);
  let out = "";
  let copied = 0;
  for (let at = 0; at < text.length; ) {
    const isLiteral = bytes[at] === PAREN_OPEN;
    if (!isLiteral && (bytes[at] !== LESS_THAN || isDictionary(bytes, at))) {
      at += bytes[at] === LESS_THAN ? 2 : 1;
      continue;
    }
    const end = isLiteral ? skipLiteralString(bytes, at) : skipHexString(bytes, at);
    out += `${text.slice(copied, at)}<${toHex(map(parseValue(bytes, at) as Uint8Array))}>`;
    at = copied = end;
  }
  return out + text.slice(copied);
}
