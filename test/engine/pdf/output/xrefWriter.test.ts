/**
 * Tests that writing a long cross-reference section yields to the event loop, and never builds the whole section as one
 * text.
 */
import { inflateSync } from "node:zlib";
import { expect, it, vi } from "vitest";
import { IN_FILE } from "../../../../src/engine/pdf/objects/xrefTable.ts";
import {
  addEntry,
  type Entries,
  makeEntries,
  streamSection,
  tableSection,
} from "../../../../src/engine/pdf/output/xrefWriter.ts";
import { Meter } from "../../../../src/engine/pdf/source/meter.ts";
import { latin1 } from "../fixture.ts";

/** Returns the entries of the objects 0 to `count`, except the one in the middle. */
function many(count: number): Entries {
  const entries = makeEntries(count);
  for (let num = 0; num <= count; num++) if (num !== count >> 1) addEntry(entries, num, IN_FILE, 7, 0);
  return entries;
}

it("generates a long cross-reference table in several parts of limited length", () => {
  const { length, parts } = tableSection(many(50_000), "/Root 1 0 R");
  const made = [...parts()];
  expect(made.length).toBeGreaterThan(4);
  expect(Math.max(...made.map((part) => part.length))).toBeLessThan(400_000);
  const text = latin1(Buffer.concat(made));
  expect(text.length).toBe(length);
  const line = "0000000007 00000 n \n";
  const lines = line.repeat(25_000);
  expect(text === `xref\n0 25000\n${lines}25001 25000\n${lines}trailer\n<</Root 1 0 R/Size 50001>>\n`).toBe(true);
});

it("writing a long cross-reference stream yields to the event loop", async () => {
  const meter = new Meter(0);
  const turns = vi.spyOn(meter, "yield");
  const count = 600_000;
  const { length, parts } = await streamSection(9, many(count), "/Root 1 0 R", meter);
  expect(turns.mock.calls.length).toBeGreaterThan(10);
  const bytes = Buffer.concat([...parts()]);
  expect(bytes.length).toBe(length);
  const text = latin1(bytes);
  expect(text).toContain(`/Size 600001/W[1 1 1]/Index[0 300000 300001 300000]`);
  const rows = inflateSync(bytes.subarray(text.indexOf("stream\n") + 7));
  expect([rows.length, ...rows.subarray(0, 8)]).toEqual([4 * count, 2, 1, 7, 0, 2, 0, 0, 0]);
});
