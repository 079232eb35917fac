import { describe, expect, test } from "vitest";
import { notModified, rangeOf } from "../../src/storage/conditions.ts";

const uploaded = new Date("2026-01-02T03:04:05.678Z");
const file = { size: 100, httpEtag: '"abc"', uploaded };
const date = "Fri, 02 Jan 2026 03:04:05 GMT";

describe("the range asked for", () => {
  test.each<[Record<string, string>, ReturnType<typeof rangeOf>]>([
    [{}, undefined],
    [{ Range: "bytes=0-0" }, { offset: 0, length: 1 }],
    [{ Range: "bytes=0-9" }, { offset: 0, length: 10 }],
    [{ Range: "bytes=90-" }, { offset: 90, length: 10 }],
    [{ Range: "bytes=90-500" }, { offset: 90, length: 10 }],
    [{ Range: "bytes=-10" }, { offset: 90, length: 10 }],
    [{ Range: "bytes=-500" }, { offset: 0, length: 100 }],
    [{ Range: "bytes=-0" }, "unsatisfiable"],
    [{ Range: "bytes=100-" }, "unsatisfiable"],
    [{ Range: "bytes=100-200" }, "unsatisfiable"],
    [{ Range: "bytes=9-0" }, undefined],
    [{ Range: "bytes=-" }, undefined],
    [{ Range: "bytes=0-1,5-6" }, undefined],
    [{ Range: "pages=1-2" }, undefined],
    [
      { Range: "bytes=0-9", "If-Range": '"abc"' },
      { offset: 0, length: 10 },
    ],
    [{ Range: "bytes=0-9", "If-Range": '"old"' }, undefined],
    [{ Range: "bytes=0-9", "If-Range": 'W/"abc"' }, undefined],
    [
      { Range: "bytes=0-9", "If-Range": date },
      { offset: 0, length: 10 },
    ],
    [{ Range: "bytes=0-9", "If-Range": "Fri, 02 Jan 2026 03:04:04 GMT" }, undefined],
  ])("%j is %j", (headers, expected) => {
    expect(rangeOf(new Headers(headers), file)).toEqual(expected);
  });
});

describe("the client's copy is current", () => {
  test.each<[Record<string, string>, boolean]>([
    [{}, false],
    [{ "If-None-Match": '"abc"' }, true],
    [{ "If-None-Match": '"x", W/"abc"' }, true],
    [{ "If-None-Match": "*" }, true],
    [{ "If-None-Match": '"x"' }, false],
    [{ "If-None-Match": '"x"', "If-Modified-Since": date }, false],
    [{ "If-Modified-Since": date }, true],
    [{ "If-Modified-Since": "Fri, 02 Jan 2026 03:04:04 GMT" }, false],
    [{ "If-Modified-Since": "yesterday" }, false],
  ])("%j: %s", (headers, expected) => {
    expect(notModified(new Headers(headers), file)).toBe(expected);
  });
});
