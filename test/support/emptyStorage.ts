// Importing `reset` from `cloudflare:test` would also load the Worker, which few of these tests need.
import { reset } from "cloudflare:test-internal";
import { beforeAll, vi } from "vitest";
import { emptyBucket } from "./storage.ts";

/** Empties the Durable Objects and the bucket before the tests of each file. */
beforeAll(async () => {
  vi.useRealTimers(); // an earlier test file may have set a fake clock, because test files share modules
  await reset();
  await emptyBucket();
});
