import VECTORS from "./encryption.vectors.json" with { type: "json" };
import { FileBuilder } from "./fixture.ts";

export { VECTORS };

/** A page whose content another program encrypted: its words stand near the upper edge. */
export function encryptedPage({ dict, id, stream }: (typeof VECTORS)[number]): Uint8Array {
  const hex = (key: "O" | "U" | "OE" | "UE" | "Perms", value: string | undefined) =>
    value ? `/${key} <${value}>` : "";
  const cf = dict.cf.StdCF;
  const filters = cf
    ? `/CF << /StdCF << /CFM /${cf.cfm} /AuthEvent /DocOpen /Length ${cf.length ?? 16} >> >> /StmF /${dict.stmF} /StrF /${dict.strF}`
    : "";
  const clear = dict.encryptMetadata ? "" : "/EncryptMetadata false";
  const file = new FileBuilder("%PDF-1.7\n").objects({
    1: "<< /Type /Catalog /Pages 2 0 R >>",
    2: "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
    3: "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 500 800] /Contents 6 0 R /Resources << /Font << /F1 4 0 R >> >> >>",
    4: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    5: `<< /Filter /${dict.filter} /V ${dict.v} /R ${dict.r} /Length ${dict.length} /P ${dict.p} ${hex("O", dict.o)} ${hex("U", dict.u)} ${hex("OE", dict.oe)} ${hex("UE", dict.ue)} ${hex("Perms", dict.perms)} ${filters} ${clear} >>`,
    6: { data: new Uint8Array(Buffer.from(stream.encrypted, "hex")) },
  });
  return file.table({ trailer: `/Root 1 0 R /Encrypt 5 0 R /ID [<${id}> <${id}>]` }).bytes();
}
