import { reset } from "cloudflare:test";
import { beforeAll } from "vitest";
import { emptyBucket } from "./storage.ts";

/** Each test file begins with nothing stored: no payments, and no objects, in whichever store. */
beforeAll(async () => {
  await reset();
  await emptyBucket();
});
