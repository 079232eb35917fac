/**
 * Tests the search for a catalog in the object streams that a scan of the file has found, and the cost of this search.
 */
import { expect, it, vi } from "vitest";
import { expandObjectStreams, findCatalogs } from "../../../../src/engine/pdf/document/scannedStreams.ts";
import type { ObjectStream, Objects } from "../../../../src/engine/pdf/objects/objects.ts";
import { IN_FILE, XrefTable } from "../../../../src/engine/pdf/objects/xrefTable.ts";
import { Meter } from "../../../../src/engine/pdf/source/meter.ts";
import { Reference } from "../../../../src/engine/pdf/syntax/values.ts";
import type { Scan } from "../../../../src/engine/pdf/xref/rebuild.ts";
import { encode } from "../../../support/bytes.ts";
import { countedBytes } from "../../../support/countedBytes.ts";

/**
 * Returns the numbers of the object-stream members that may be a catalog. The members start at `offsets` and are
 * numbered from 100.
 */
async function catalogsIn(bytes: Uint8Array, offsets: number[], meter = new Meter(0)): Promise<number[]> {
  const table = new XrefTable(0);
  table.replace(1, IN_FILE, 9, 0);
  const numbers = offsets.map((_, index) => 100 + index);
  const stream: ObjectStream = { bytes, numbers, offsets, ascending: offsets.toSorted((a, b) => a - b) };
  const objects = {
    table,
    source: { meter },
    run: async (step: () => unknown) => step(),
    stream: () => stream,
  } as unknown as Objects;
  const scan = { objectStreams: [{ num: 1, offset: 9 }], catalogs: new Set(), ambiguous: new Set() } as unknown as Scan;
  await expandObjectStreams(objects, scan);
  return [...scan.catalogs];
}

it.each([
  ["/Catalog null /Catalog", [0, 9, 14], [100, 102]],
  ["/Catalog null /Catalog", [14, 0, 9], [100, 101]],
  ["/Catalog null", [0, 0, 9], [100, 101]],
  ["/Catalog null", [4, 9], []],
  ["/Catalog/Catalog", [4], [100]],
])("finds the object-stream members that could be a catalog: %s", async (text, offsets, expected) => {
  expect(await catalogsIn(encode(text), offsets)).toEqual(expected);
});

it("searches for a catalog only once at an offset that many object-stream members share", async () => {
  const { bytes, reads } = countedBytes(encode(`null${" ".repeat(10_000)}/Catalog`));
  expect(await catalogsIn(bytes, Array(1000).fill(0))).toHaveLength(1000);
  expect(reads() / bytes.length).toBeLessThan(10);
});

it("adding object-stream members to the cross-reference yields to the event loop", async () => {
  const meter = new Meter(0);
  const turns = vi.spyOn(meter, "yield");
  await catalogsIn(encode("null"), Array(80_000).fill(0), meter);
  expect(turns.mock.calls.length).toBeGreaterThan(3);
});

it("reads each catalog candidate once, and charges the read to the meter", async () => {
  const meter = new Meter(0);
  const looks: number[] = [];
  const objects = {
    source: { meter },
    run: async (step: () => unknown) => step(),
    dictionary: ({ num }: Reference) => void looks.push(num),
  } as unknown as Objects;
  const trailer = { dict: new Map([["Root", new Reference(5, 0)]]), text: new Uint8Array(), memory: 0 };
  expect(await findCatalogs(objects, [trailer, trailer], [6, 5])).toEqual([]);
  expect([looks, meter.used.scanned]).toEqual([[5, 6], 2 * 2048]);
});
