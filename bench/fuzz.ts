/**
 * Damages small PDFs in many ways and stamps them: `npm run fuzz -- 20000 7` for 20,000 files from seed 7. Stops at the
 * first file that is neither stamped nor refused and shrinks it. A file that takes over a second counts as a hang.
 */
import fc from "fast-check";
import { damaged } from "../test/support/mutate.ts";
import { stampsOrRefuses } from "../test/support/property.ts";
import { SEEDS } from "../test/support/seeds.ts";

const HANG_MS = 1000;

const numRuns = Number(process.argv[2] ?? 20_000),
  seed = Number(process.argv[3] ?? Date.now() % 1e9);
const tally = { stamped: 0, refused: 0 };
let slowest = 0;

await fc.assert(
  fc.asyncProperty(damaged(Object.values(SEEDS)), async (file) => {
    const start = performance.now();
    tally[await stampsOrRefuses(file)]++;
    const ms = performance.now() - start;
    slowest = Math.max(slowest, ms);
    if (ms > HANG_MS) throw new Error(`took ${ms.toFixed(0)} ms`);
  }),
  { numRuns, seed },
);
console.log(
  `seed ${seed}: ${numRuns} files, ${tally.stamped} stamped, ${tally.refused} refused, slowest ${slowest.toFixed(0)} ms, peak ${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MB`,
);
