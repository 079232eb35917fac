import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { partRanges } from "../../src/shared/partRanges.ts";
import { sendParts } from "../../src/shared/sendParts.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/**
 * Sends three parts. `answers` lists the status of each attempt, with 0 for a broken connection. Returns all requests.
 */
async function sendWith(answers: number[], headers: Record<string, string> = {}) {
  const sent: string[] = [];
  const answer = async (what: string) => {
    sent.push(what);
    const status = answers.shift() ?? 200;
    if (status === 0) throw new TypeError("no answer");
    return new Response(null, { status, headers });
  };
  const sending = sendParts(partRanges(25, 10), {
    send: ({ start, end }) => answer(`${start}-${end}`),
    complete: () => answer("complete"),
  }).then(
    ({ status }) => status,
    (error: Error) => error.message,
  );
  await vi.runAllTimersAsync();
  return [await sending, ...sent];
}

describe("sendParts", () => {
  test("sendParts sends the parts of a file in order and completes the upload", async () => {
    expect(await sendWith([])).toEqual([200, "0-10", "10-20", "20-25", "complete"]);
  });

  test.each([0, 429, 503])("sendParts retries a request after the temporary failure %i", async (failure) => {
    expect(await sendWith([200, failure, 200, 200, failure])).toEqual([
      ...[200, "0-10", "10-20", "10-20", "20-25", "complete", "complete"],
    ]);
  });

  test("sendParts continues if the service already has a part", async () => {
    expect(await sendWith([0, 409])).toEqual([200, "0-10", "0-10", "10-20", "20-25", "complete"]);
  });

  test("sendParts returns the answer if the service refuses a part", async () => {
    expect(await sendWith([422])).toEqual([422, "0-10"]);
    expect(await sendWith([429], { "Retry-After": "3600" })).toEqual([429, "0-10"]);
  });

  test("sendParts stops after six attempts without an answer", async () => {
    expect(await sendWith(Array(9).fill(0))).toEqual(["no answer", ...Array(6).fill("0-10")]);
  });
});
