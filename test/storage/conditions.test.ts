import { describe, expect, test } from "vitest";
import { rangeOf, unmetCondition } from "../../src/storage/conditions.ts";

const uploaded = new Date("2026-01-02T03:04:05.678Z");
const file = { size: 100, httpEtag: '"abc"', uploaded };
const date = "Fri, 02 Jan 2026 03:04:05 GMT";

describe("rangeOf", () => {
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
  ])("rangeOf parses the headers %j to %j", (headers, expected) => {
    expect(rangeOf(new Headers(headers), file)).toEqual(expected);
  });
});

describe("unmetCondition", () => {
  const [before, after] = ["Fri, 02 Jan 2026 03:04:04 GMT", "Fri, 02 Jan 2026 03:04:06 GMT"];
  test.each<[Record<string, string>, ReturnType<typeof unmetCondition>]>([
    [{}, undefined],
    [{ "If-None-Match": '"abc"' }, "not modified"],
    [{ "If-None-Match": '"x", W/"abc"' }, "not modified"],
    [{ "If-None-Match": "*" }, "not modified"],
    [{ "If-None-Match": '"x"' }, undefined],
    [{ "If-None-Match": '"x"', "If-Modified-Since": date }, undefined],
    [{ "If-Modified-Since": date }, "not modified"],
    [{ "If-Modified-Since": after }, "not modified"],
    [{ "If-Modified-Since": before }, undefined],
    [{ "If-Modified-Since": "yesterday" }, undefined],
    [{ "If-Match": '"abc"' }, undefined],
    [{ "If-Match": '"x", "abc"' }, undefined],
    [{ "If-Match": "*" }, undefined],
    [{ "If-Match": '"x"' }, "precondition failed"],
    [{ "If-Match": 'W/"abc"' }, "precondition failed"],
    [{ "If-Match": '"abc"', "If-Unmodified-Since": before }, undefined],
    [{ "If-Match": '"abc"', "If-None-Match": '"abc"' }, "not modified"],
    [{ "If-Match": '"x"', "If-None-Match": '"abc"' }, "precondition failed"],
    [{ "If-Unmodified-Since": date }, undefined],
    [{ "If-Unmodified-Since": after }, undefined],
    [{ "If-Unmodified-Since": before }, "precondition failed"],
    [{ "If-Unmodified-Since": "yesterday" }, undefined],
    [{ "If-Unmodified-Since": date, "If-Modified-Since": date }, "not modified"],
  ])("unmetCondition evaluates the headers %j to %s", (headers, expected) => {
    expect(unmetCondition(new Headers(headers), file)).toBe(expected);
  });
});
