/**
 * `npm run build:server` builds `dist/server`, which `npm run serve` serves. See "Running workerd yourself" in
 * docs/operate.md.
 */
import { buildWorker } from "./lib/buildWorker.ts";

await buildWorker("src/index.ts", "dist/server");
