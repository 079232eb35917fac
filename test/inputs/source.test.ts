import { describe, expect, test, vi } from "vitest";
import { openSource } from "../../src/inputs/source.ts";
import { limitsOf } from "../support/limits.ts";

const limits = limitsOf();
const look = () => {};
const rules = { timeoutMs: 5000, allowLoopback: false };
const base64 = (length: number) => new Uint8Array(length).toBase64();
const tooLarge = { code: "source_too_large", status: 413 };

describe("a file of at most the limit is taken", () => {
  test.each([
    ["as a data URI", `data:application/pdf;base64,${base64(1000)}`],
    ["as bare base64", base64(1000)],
    ["as base64 in lines", base64(1000).replace(/.{64}/g, "$&\r\n")],
  ])("%s", async (_, source) => {
    expect((await openSource(source, "file", { rules, limits, look })).content).toHaveLength(1000);
  });
});

describe("a larger one is a source_too_large", () => {
  test.each([
    ["as a data URI", `data:application/pdf;base64,${base64(1001)}`],
    ["as bare base64", base64(1001)],
    ["as a URL", "https://files.example.com/large.pdf"],
  ])("%s", async (_, source) => {
    await expect(openSource(source, "file", { rules, limits, look })).rejects.toMatchObject(tooLarge);
  });

  test("before it is decoded", async () => {
    const decoded = vi.spyOn(Uint8Array, "fromBase64");
    await expect(openSource(`data:;base64,${base64(10_000)}`, "file", { rules, limits, look })).rejects.toMatchObject(
      tooLarge,
    );
    expect(decoded).not.toHaveBeenCalled();
  });
});

test("a source slower than the deadline is a source_timeout", async () => {
  const slow = openSource("https://files.example.com/slow.pdf", "file", {
    rules: { ...rules, timeoutMs: 100 },
    limits,
    look,
  });
  await expect(slow).rejects.toMatchObject({ code: "source_timeout", status: 504 });
});
