import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { readConfig } from "../../src/config.ts";
import { openSource } from "../../src/inputs/source.ts";
import { roomsOf } from "../../src/rooms.ts";

const room = { ...roomsOf(env, readConfig({})).file, maxBytes: 1000, inMemoryBytes: 1000 };
const rules = { timeoutMs: 5000, allowLoopback: false };

test("a source slower than the deadline is a source_timeout", async () => {
  const slow = openSource("https://files.example.com/slow.pdf", "file", { rules: { ...rules, timeoutMs: 100 }, room });
  await expect(slow).rejects.toMatchObject({ code: "source_timeout", status: 504 });
});

test("a source over the limit is a source_too_large", async () => {
  const large = openSource("https://files.example.com/large.pdf", "file", { rules, room });
  await expect(large).rejects.toMatchObject({ code: "source_too_large", status: 413 });
});
