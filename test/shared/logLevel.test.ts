import { describe, expect, test, vi } from "vitest";
import { log } from "../../src/shared/log.ts";
import { levelOf } from "../../src/shared/logLevel.ts";
import type { LogLine } from "../../src/shared/logLines.ts";

const request: LogLine = { event: "request", request_id: "1", method: "GET", route: "/", status: 200, ms: 1 };
const settlement: Extract<LogLine, { event: "settlement" }> = {
  event: "settlement",
  ...{ request_id: "1", attempts: 1, network: "base" },
  ...{ payer: "0x1", amount: "1", payment: "p", outcome: "settled" },
};

describe("the severity of a log line", () => {
  test.each<[LogLine, string]>([
    [request, "info"],
    [{ ...request, status: 404, code: "not_found" }, "info"],
    [{ ...request, status: 503, code: "too_busy" }, "warn"],
    [{ ...request, status: 500, code: "internal_error" }, "error"],
    [{ event: "failure", code: "source_unreachable", error: "" }, "warn"],
    [{ event: "failure", code: "internal_error", error: "" }, "error"],
    [{ ...settlement, outcome: "settled" }, "info"],
    [{ ...settlement, outcome: "pending" }, "warn"],
    [{ ...settlement, outcome: "unresolved" }, "error"],
    [{ event: "sweep", deleted: 1, finished: true }, "info"],
    [{ event: "sweep", deleted: 1, finished: false }, "warn"],
    [{ event: "settings", problems: [], errors: [] }, "warn"],
  ])("the severity of the log line %j is %s", (line, level) => {
    expect(levelOf(line)).toBe(level);
  });
});

test("a log line starts with its time in ISO 8601 and its severity", () => {
  const written = vi.spyOn(console, "log").mockImplementation(() => {});
  log({ event: "sweep", deleted: 2, finished: true });
  const [[line]] = written.mock.calls as [[string]];
  written.mockRestore();
  expect(line).toMatch(/^\{"time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z","level":"info","event":"sweep",/);
});
