import { reset } from "cloudflare:test-internal"; // `cloudflare:test` would also load the Worker, which few of these tests need
import { beforeAll, vi } from "vitest";
import { emptyBucket } from "./storage.ts";

/** Empties the Durable Objects and the bucket before each test file. */
beforeAll(async () => {
  vi.useRealTimers(); // an earlier test file may have set a fake clock, because test files share modules
  await reset();
  await emptyBucket();
});
