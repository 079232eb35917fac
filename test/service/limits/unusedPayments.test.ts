import { afterEach, expect, test, vi } from "vitest";
import { countUnusedAfterFailure, unlessThrottled } from "../../../src/service/limits/unusedPayments.ts";
import { UNUSED_PAYMENTS } from "../../../src/settings/limits.ts";
import { Problem } from "../../../src/shared/problems.ts";

afterEach(() => void vi.restoreAllMocks());

test.each([
  ["call_cancelled", false],
  ["source_timeout", false],
  ["too_busy", true],
] as const)(
  "a payment counts as unused after the failure %s only if the caller caused the failure",
  async (code, isOurFault) => {
    vi.spyOn(Date, "now").mockReturnValue(Date.now());
    const request = new Request("https://api.example.com", { headers: { "CF-Connecting-IP": "203.0.113.51" } });
    for (let times = 0; times < UNUSED_PAYMENTS.capacity; times++)
      countUnusedAfterFailure(new Problem(code, "It ended."), code, request);
    const verify = unlessThrottled(code, request, async () => "verified");
    if (isOurFault) expect(await verify).toBe("verified");
    else await expect(verify).rejects.toMatchObject({ code: "too_many_requests" });
  },
);
