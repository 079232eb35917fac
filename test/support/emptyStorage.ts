import { reset } from "cloudflare:test-internal"; // `cloudflare:test` would also load the Worker, which tests of single parts do not need
import { beforeAll, vi } from "vitest";
import { emptyBucket } from "./storage.ts";

/** Empties the storage before each test file: Durable Objects and the bucket. */
beforeAll(async () => {
  vi.useRealTimers(); // files share their modules, and so the clock that an earlier file has set
  await reset();
  await emptyBucket();
});
