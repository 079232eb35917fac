import { reset } from "cloudflare:test-internal"; // `cloudflare:test` would load the Worker, too, where only a part is tested
import { beforeAll, vi } from "vitest";
import { emptyBucket } from "./storage.ts";

/** Each test file begins with nothing stored: no payments, and no objects, in whichever store. */
beforeAll(async () => {
  vi.useRealTimers(); // files share their modules, and so the clock that one has left
  await reset();
  await emptyBucket();
});
