import { openInspector } from "./inspector.ts";

/** V8's memory figures of an isolate, in bytes. */
interface HeapUsage {
  usedSize: number;
  /** Memory of array buffers. */
  backingStorageSize?: number;
}

const EVERY_MS = 20;

/**
 * Samples the heap of a running Worker (objects and array buffers) every 20 ms. A busy Worker answers only once it
 * yields the CPU. `peakMb` returns the peak since the previous call of `peakMb`.
 */
export async function watchHeap(inspectorPort: number): Promise<{ peakMb(): number; stop(): void }> {
  const inspector = await openInspector(inspectorPort);
  let peak = 0;
  const sample = async () => {
    const { usedSize, backingStorageSize = 0 } = await inspector.send<HeapUsage>("Runtime.getHeapUsage");
    peak = Math.max(peak, usedSize + backingStorageSize);
  };
  const timer = setInterval(() => void sample(), EVERY_MS);
  return {
    peakMb() {
      const mb = peak / 1e6;
      peak = 0;
      return mb;
    },
    stop() {
      clearInterval(timer);
      inspector.close();
    },
  };
}
