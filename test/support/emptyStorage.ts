import { reset } from "cloudflare:test-internal"; // `cloudflare:test` would also load the Worker, which most of these tests do not need
import { beforeAll, vi } from "vitest";
import { emptyBucket } from "./storage.ts";

/** Empties the storage before each test file: Durable Objects and the bucket. */
beforeAll(async () => {
  vi.useRealTimers(); // test files share their modules, including a clock that an earlier file may have set
  await reset();
  await emptyBucket();
});
