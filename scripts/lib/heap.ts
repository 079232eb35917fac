/** What V8 tells of an isolate (Chrome DevTools protocol, Runtime.getHeapUsage). */
interface HeapUsage {
  usedSize: number;
  /** Array buffers. */
  backingStorageSize: number;
}

const EVERY_MS = 20;

/** Looks at the heap of a running Worker, again and again: its objects and array buffers, as often as it lets go of the CPU. */
export async function watchHeap(inspectorPort: number): Promise<{ peakMb(): number; stop(): void }> {
  const targets = (await (await fetch(`http://127.0.0.1:${inspectorPort}/json`)).json()) as {
    webSocketDebuggerUrl: string;
  }[];
  const headers = { Origin: `http://localhost:${inspectorPort}` }; // it refuses web pages, and whoever does not say
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
