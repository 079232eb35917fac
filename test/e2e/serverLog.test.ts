import { expect, test, vi } from "vitest";
import { MiniflareLog, printOfWorkerd } from "../../scripts/lib/serverLog.ts";

/** Returns the lines that `print` writes, without their times. */
function printed(print: () => void) {
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  try {
    print();
    return write.mock.calls.map(([line]) => JSON.parse(String(line)) as { time: string });
  } finally {
    write.mockRestore();
  }
}

const AT = 1_700_000_000_000;
const time = new Date(AT).toISOString();

test("the server prints the Worker's log lines unchanged", () => {
  const line = { time: "2026-11-22T00:00:00.000Z", level: "info", event: "sweep", deleted: 0, finished: true };
  const message = JSON.stringify(line);
  expect(printed(() => printOfWorkerd({ timestamp: AT, level: "log", message }))).toEqual([line]);
});

test.each([
  ["error", "error", "Uncaught exception\n  at foo"],
  ["warn", "warn", "a warning"],
  ["log", "info", "{ not JSON"],
  ["info", "info", '{"event":1}'],
])("the server logs a workerd message of level %s as a `runtime` event of level %s: %j", (level, as, message) => {
  const lines = printed(() => printOfWorkerd({ timestamp: AT, level, message }));
  expect(lines).toEqual([{ time, level: as, event: "runtime", message }]);
});

test("the server prints Miniflare's warnings and errors as log events, and omits its other messages", () => {
  const log = new MiniflareLog();
  const lines = printed(() => {
    log.warn("careful");
    log.info("ready");
    log.error(new Error("broken"));
  });
  expect(lines).toEqual([
    expect.objectContaining({ level: "warn", event: "runtime", message: "careful" }),
    expect.objectContaining({ level: "error", event: "runtime", message: expect.stringContaining("broken") }),
  ]);
});
