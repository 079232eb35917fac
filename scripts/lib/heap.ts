/** V8's memory figures of an isolate (Chrome DevTools protocol, Runtime.getHeapUsage), in bytes. */
interface HeapUsage {
  usedSize: number;
  /** Array buffers. */
  backingStorageSize: number;
}

const EVERY_MS = 20;

/**
 * Samples the heap of a running Worker, objects and array buffers, every 20 ms; the Worker answers whenever it yields
 * the CPU. `peakMb` returns the peak since its previous call.
 */
export async function watchHeap(inspectorPort: number): Promise<{ peakMb(): number; stop(): void }> {
  const targets = (await (await fetch(`http://127.0.0.1:${inspectorPort}/json`)).json()) as {
    webSocketDebuggerUrl: string;
  }[];
  const headers = { Origin: `http://localhost:${inspectorPort}` }; // without it, or from a web page, it is refused
  const socket = new WebSocket(targets[0]!.webSocketDebuggerUrl, { headers } as never);
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve);
    socket.addEventListener("error", reject);
  });

  let peak = 0;
  let id = 0;
  socket.addEventListener("message", ({ data }) => {
    const { result } = JSON.parse(String(data)) as { result?: HeapUsage };
    if (result?.usedSize) peak = Math.max(peak, result.usedSize + (result.backingStorageSize ?? 0));
  });
  const timer = setInterval(() => socket.send(JSON.stringify({ id: ++id, method: "Runtime.getHeapUsage" })), EVERY_MS);
  return {
    peakMb() {
      const mb = peak / 1e6;
      peak = 0;
      return mb;
    },
    stop() {
      clearInterval(timer);
      socket.close();
    },
  };
}
