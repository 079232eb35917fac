import { describe, expect, test } from "vitest";
import { watermark } from "../../../../src/engine/index.ts";
import { openPdf } from "../../../../src/engine/pdf/document/openPdf.ts";
import { MemorySource } from "../../../../src/engine/pdf/source/byteSource.ts";
import { loadFont } from "../../../support/fonts.ts";
import { FileBuilder, latin1 } from "../fixture.ts";
import { encryptText, VECTORS } from "../security/encryptedFile.ts";

/** Returns a one-page file with additional catalog entries. */
function fileWith(entries: string, others: Record<number, string> = {}): FileBuilder {
  return new FileBuilder().objects({
    1: `<</Type/Catalog/Pages 4 0 R ${entries}>>`,
    4: "<</Type/Pages/Count 1/Kids[5 0 R]>>",
    5: "<</Type/Page/Parent 4 0 R/MediaBox[0 0 500 800]>>",
    ...others,
  });
}

const languageOf = async (file: Uint8Array) => (await openPdf(new MemorySource(file), {})).language;

describe("readLanguage", () => {
  test.each([
    ["in ASCII", "/Lang(ja-JP)", {}, "ja-JP"],
    ["in hexadecimal digits", "/Lang<6A61>", {}, "ja"],
    ["in UTF-16", "/Lang<FEFF006A0061>", {}, "ja"],
    ["in UTF-8", "/Lang<EFBBBF6A61>", {}, "ja"],
    ["behind a reference", "/Lang 7 0 R", { 7: "(ur)" }, "ur"],
    ["as undefined if the entry is missing", "", {}, undefined],
    ["as empty if the value is empty", "/Lang()", {}, ""],
    ["as undefined if the value is a name", "/Lang/ja", {}, undefined],
    ["as undefined if it refers to a missing object", "/Lang 70 0 R", {}, undefined],
    ["as undefined if the reference refers to itself", "/Lang 7 0 R", { 7: "7 0 R" }, undefined],
    ["as undefined if it refers to an unreadable value", "/Lang 7 0 R", { 7: ")" }, undefined],
    ["up to its first 100 bytes", `/Lang(${"ja-".repeat(5000)})`, {}, "ja-".repeat(34).slice(0, 100)],
  ])("reads the document language from /Lang %s", async (_, entries, others, language) => {
    expect(await languageOf(fileWith(entries, others).table().bytes())).toBe(language);
  });

  test.each(VECTORS.filter(({ name, string }) => name.startsWith("an empty user password") && string.num === 2))(
    "reads the document language from an encrypted /Lang: $name",
    async (vector) => {
      const { num, encrypted, plain } = vector.string;
      const trailer = `/Encrypt 6 0 R/ID[<${vector.id}><${vector.id}>]`;
      const behind = fileWith(`/Lang ${num} 0 R`, { [num]: `<${encrypted}>`, 6: encryptText(vector) });
      expect(await languageOf(behind.table({ trailer: `/Root 1 0 R${trailer}` }).bytes())).toBe(plain);
      const direct = fileWith("", {
        [num]: `<</Type/Catalog/Pages 4 0 R/Lang<${encrypted}>>>`,
        6: encryptText(vector),
      });
      expect(await languageOf(direct.table({ trailer: `/Root ${num} 0 R${trailer}` }).bytes())).toBe(plain);
    },
  );
});

test("chooses ideograph forms by the caller's language, or else by the document's /Lang", async () => {
  const fontOf = async (entries: string, lang?: string) => {
    const plan = await watermark(fileWith(entries).table().bytes(), { text: "社外秘", lang }, { loadFont });
    let output = "";
    for await (const chunk of plan.chunks()) output += latin1(chunk);
    return /\/BaseFont\/[A-Z]{6}\+(\w+)/.exec(output)?.[1];
  };
  expect(await fontOf("")).toBe("NotoSansSC");
  expect(await fontOf("/Lang(ja)")).toBe("NotoSansJP");
  expect(await fontOf("/Lang(ja)", "zh-Hant")).toBe("NotoSansTC");
  expect(await fontOf("", "ja")).toBe("NotoSansJP");
});
