/**
 * Replaces the engine in the simulation. Marking takes no time except for reading the source and writing the output.
 */
import {
  EngineError,
  PlanOutdated,
  type RangeReader,
  type TextMark,
  type WatermarkPlan,
} from "../../src/engine/index.ts";

export { PlanOutdated };

/** Beginning of a file that cannot be marked. */
export const DAMAGED = "%PDF-1.7 damaged";

/** Matches the text in a file that states the duration of marking in milliseconds. */
const SLOW = /slow (\d+)/;

const encoder = new TextEncoder();

export function checkMark(): void {}

export async function loadFonts(): Promise<void> {}

/** Plans an output that consists of the mark's text and the source file. */
export async function watermark(
  source: Uint8Array | RangeReader,
  mark: TextMark,
  { thorough = false }: { thorough?: boolean },
): Promise<WatermarkPlan> {
  const isStored = !(source instanceof Uint8Array);
  const read = isStored ? await source.read(0, source.length) : source;
  const text = new TextDecoder().decode(read);
  const [, slowMs] = SLOW.exec(text) ?? [];
  if (slowMs) await new Promise((resolve) => setTimeout(resolve, Number(slowMs)));
  if (text.startsWith(DAMAGED)) throw new EngineError("damaged_pdf", "It is damaged.");
  const head = encoder.encode(`${mark.text}:`);
  return {
    pages: 1,
    length: head.length + source.length,
    notices: [],
    async *chunks() {
      yield head;
      // Writing fails for about a tenth of the stored sources with `PlanOutdated`, unless the plan is thorough.
      if (isStored && !thorough && (read.at(-1) ?? 0) % 10 === 0) throw new PlanOutdated();
      if (isStored) yield* source.stream(0, source.length);
      else yield source;
    },
  };
}
