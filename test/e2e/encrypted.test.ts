import { describe, expect, test } from "vitest";
import vectors from "../engine/pdf/encryption.vectors.json" with { type: "json" };
import { FileBuilder } from "../engine/pdf/fixture.ts";
import { stamp } from "../support/stamp.ts";
import { render } from "./render.ts";

type Vector = (typeof vectors)[number];

const isMagenta = ([r, g, b]: [number, number, number]) => r > 230 && g < 25 && b > 230;
const isBlack = ([r, g, b]: [number, number, number]) => Math.max(r, g, b) < 90;

/** A page whose content another program encrypted: its words stand near the upper edge. */
function encrypted({ dict, id, stream }: Vector): Uint8Array {
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

/** PDFium's binding hands passwords on as UTF-8, which files of revision 3 do not know. */
const canBeTyped = ({ user, dict }: Vector) => dict.r > 3 || /^[ -~]*$/.test(user);
const readable = vectors.filter((vector) => vector.stream.num === 6 && vector.dict.p === -4 && canBeTyped(vector));

describe("an encrypted PDF stays encrypted, and shows its own words and the mark to whoever has the password", () => {
  test("there are vectors of each revision", () => {
    expect(new Set(readable.map(({ dict }) => dict.r))).toEqual(new Set([2, 3, 4, 5, 6]));
  });

  test.each(readable.map((vector) => [vector.name, vector] as const))("%s", async (_, vector) => {
    const output = await stamp(encrypted(vector), vector.user);
    expect(Buffer.from(output).includes("/Encrypt 5 0 R", 0, "latin1")).toBe(true);

    const [page] = await render(output, vector.user);
    expect(page!.boxOf(isMagenta)?.right).toBeGreaterThan(0.9);
    expect(page!.boxOf(isBlack)?.top).toBeLessThan(0.15);
    if (vector.user !== "") await expect(render(output)).rejects.toThrow();
  });
});
