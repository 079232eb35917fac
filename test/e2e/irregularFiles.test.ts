import { describe, expect, test } from "vitest";
import { IRREGULAR, marksShown } from "./irregularFiles.ts";
import { readersOf } from "./readers.ts";

describe.each(readersOf(300).map((reader) => [reader.name, reader] as const))(
  "%s",
  (reader, { missing, sample, draw }) => {
    const because = missing ? `, skipped: ${missing} is not installed` : "";
    test.skipIf(missing).each(sample(IRREGULAR))(
      `${reader} shows the mark on all pages of a marked file with %s${because}`,
      async (_, pages, source) => {
        expect(await marksShown(source, pages, draw)).toEqual(Array(pages).fill(true));
      },
    );
  },
);
