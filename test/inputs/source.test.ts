import { describe, expect, test, vi } from "vitest";
import type { FetchRules } from "../../src/inputs/fetch.ts";
import { readSource } from "../../src/inputs/source.ts";

const rules: FetchRules = { maxBytes: 1000, timeoutMs: 5000, allowLoopback: false };
const base64 = (length: number) => new Uint8Array(length).toBase64();

describe("a file of at most the limit is taken", () => {
  test.each<[string, string | File]>([
    ["as a data URI", `data:application/pdf;base64,${base64(1000)}`],
    ["as bare base64", base64(1000)],
    ["as base64 in lines", base64(1000).replace(/.{64}/g, "$&\r\n")],
    ["as an upload", new File([new Uint8Array(1000)], "a.pdf")],
  ])("%s", async (_, source) => {
    expect(await readSource(source, "file", rules)).toHaveLength(1000);
  });
});

describe("a larger one is a source_too_large", () => {
  test.each<[string, string | File]>([
    ["as a data URI", `data:application/pdf;base64,${base64(1001)}`],
    ["as bare base64", base64(1001)],
    ["as an upload", new File([new Uint8Array(1001)], "a.pdf")],
  ])("%s", async (_, source) => {
    await expect(readSource(source, "file", rules)).rejects.toMatchObject({ code: "source_too_large" });
  });

  test("before it is decoded", async () => {
    const decoded = vi.spyOn(Uint8Array, "fromBase64");
    await expect(readSource(`data:;base64,${base64(10_000)}`, "file", rules)).rejects.toMatchObject({
      code: "source_too_large",
    });
    expect(decoded).not.toHaveBeenCalled();
  });
});
