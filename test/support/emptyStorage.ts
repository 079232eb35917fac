import { reset } from "cloudflare:test";
import { beforeAll } from "vitest";

/** Each test file begins with nothing stored. */
beforeAll(() => reset());
