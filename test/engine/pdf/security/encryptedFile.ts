import type { EncryptDictionary } from "../../../../src/engine/pdf/security/encryptDictionary.ts";
import { FileBuilder } from "../fixture.ts";
import VECTORS from "./encryption.vectors.json" with { type: "json" };

export { VECTORS };

/**
 * A file that another program encrypted: the encryption dictionary, one string and one stream, with bytes in
 * hexadecimal. `made` is the encryption command.
 */
export type Vector = (typeof VECTORS)[number];

export const bytesOfHex = (text: string) => new Uint8Array(Buffer.from(text, "hex"));

/** Returns the encryption dictionary in the form that the engine's parser returns. */
export function encryptDictionary({ dict }: Vector, changes: Partial<EncryptDictionary> = {}): EncryptDictionary {
  return {
    ...dict,
    cf: dict.cf.StdCF ? { StdCF: dict.cf.StdCF } : {},
    o: bytesOfHex(dict.o),
    u: bytesOfHex(dict.u),
    oe: dict.oe === undefined ? undefined : bytesOfHex(dict.oe),
    ue: dict.ue === undefined ? undefined : bytesOfHex(dict.ue),
    perms: dict.perms === undefined ? undefined : bytesOfHex(dict.perms),
    ...changes,
  };
}

/** Returns the encryption dictionary as PDF text. */
export function encryptText({ dict }: Vector): string {
  const hex = (key: "O" | "U" | "OE" | "UE" | "Perms", value: string | undefined) =>
    value ? `/${key} <${value}>` : "";
  const cf = dict.cf.StdCF;
  const filters = cf
    ? `/CF << /StdCF << /CFM /${cf.cfm} /AuthEvent /DocOpen /Length ${cf.length ?? 16} >> >> /StmF /${dict.stmF} /StrF /${dict.strF}`
    : "";
  const clear = dict.encryptMetadata ? "" : "/EncryptMetadata false";
  return `<< /Filter /${dict.filter} /V ${dict.v} /R ${dict.r} /Length ${dict.length} /P ${dict.p} ${hex("O", dict.o)} ${hex("U", dict.u)} ${hex("OE", dict.oe)} ${hex("UE", dict.ue)} ${hex("Perms", dict.perms)} ${filters} ${clear} >>`;
}

/** Returns a one-page file whose content was encrypted by another program. The page has words near its upper edge. */
export function encryptedPage(vector: Vector): Uint8Array {
  const { id, stream } = vector;
  const file = new FileBuilder("%PDF-1.7\n").objects({
    1: "<< /Type /Catalog /Pages 2 0 R >>",
    2: "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
    3: "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 500 800] /Contents 6 0 R /Resources << /Font << /F1 4 0 R >> >> >>",
    4: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    5: encryptText(vector),
    6: { data: bytesOfHex(stream.encrypted) },
  });
  return file.table({ trailer: `/Root 1 0 R /Encrypt 5 0 R /ID [<${id}> <${id}>]` }).bytes();
}
