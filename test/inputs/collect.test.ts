import { expect, test } from "vitest";
import { fetchBytes } from "../../src/inputs/collect.ts";

test("a source slower than the deadline is a source_timeout", async () => {
  await expect(
    fetchBytes("https://files.example.com/slow.pdf", { maxBytes: 1000, timeoutMs: 100, allowLoopback: false }),
  ).rejects.toMatchObject({
    code: "source_timeout",
    status: 504,
  });
});

test("a source over the limit is a source_too_large", async () => {
  await expect(
    fetchBytes("https://files.example.com/large.pdf", { maxBytes: 1000, timeoutMs: 5000, allowLoopback: false }),
  ).rejects.toMatchObject({
    code: "source_too_large",
    status: 413,
  });
});
