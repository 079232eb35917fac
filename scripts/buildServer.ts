/**
 * `npm run build:server` builds the folder `dist/server`, from which `npm run serve` runs. See "Running workerd
 * yourself" in docs/operate.md.
 */
import { buildWorker } from "./lib/buildWorker.ts";

await buildWorker("src/index.ts", "dist/server");
