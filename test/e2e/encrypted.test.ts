import { describe, expect, test } from "vitest";
import { encryptedPage, VECTORS } from "../engine/pdf/security/encryptedFile.ts";
import { stamp } from "../support/stamp.ts";
import { render } from "./render.ts";

const isMagenta = ([r, g, b]: [number, number, number]) => r > 230 && g < 25 && b > 230;
const isBlack = ([r, g, b]: [number, number, number]) => Math.max(r, g, b) < 90;

/**
 * Returns whether PDFium can open a file with the password. PDFium's binding encodes passwords as UTF-8, but encryption
 * revisions 2 and 3 use another encoding. These revisions therefore work only with ASCII passwords.
 */
const canBeTyped = ({ user, dict }: (typeof VECTORS)[number]) => dict.r > 3 || /^[ -~]*$/.test(user);
const readable = VECTORS.filter((vector) => vector.stream.num === 6 && vector.dict.p === -4 && canBeTyped(vector));

describe("encrypted PDFs", () => {
  test("the encrypted sample files cover encryption revisions 2 to 6", () => {
    expect(new Set(readable.map(({ dict }) => dict.r))).toEqual(new Set([2, 3, 4, 5, 6]));
  });

  test.each(readable.map((vector) => [vector.name, vector] as const))(
    "a marked encrypted PDF opens only with its password, and shows its own text and the mark: %s",
    async (_, vector) => {
      const output = await stamp(encryptedPage(vector), vector.user);
      expect(Buffer.from(output).includes("/Encrypt 5 0 R", 0, "latin1")).toBe(true);

      const [page] = await render(output, { password: vector.user });
      expect(page!.boxOf(isMagenta)?.right).toBeGreaterThan(0.9);
      expect(page!.boxOf(isBlack)?.top).toBeLessThan(0.15);
      if (vector.user !== "") await expect(render(output)).rejects.toThrow();
    },
  );
});
