/** `npm run build:server` makes `dist/server`, which `npm run serve` serves: docs/operate.md, "Running workerd yourself". */
import { buildWorker } from "./lib/buildWorker.ts";

await buildWorker("src/index.ts", "dist/server");
