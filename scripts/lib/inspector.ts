/** A connection to the inspector of a running Worker (Chrome DevTools protocol). */
export interface Inspector {
  /** Sends a command and returns its result. A busy Worker answers only once it yields the CPU. */
  send<T>(method: string, params?: object): Promise<T>;
  close(): void;
}

/** Connects to the inspector on a port. */
export async function openInspector(port: number): Promise<Inspector> {
  const targets = (await (await fetch(`http://127.0.0.1:${port}/json`)).json()) as { webSocketDebuggerUrl: string }[];
  // the inspector refuses requests without an Origin header, and requests of web pages
  const headers = { Origin: `http://localhost:${port}` };
  const socket = new WebSocket(targets[0]!.webSocketDebuggerUrl, { headers } as never);
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve);
    socket.addEventListener("error", reject);
  });

  const awaited = new Map<number, (result: never) => void>();
  let lastId = 0;
  socket.addEventListener("message", ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id: number; result: never };
    awaited.get(id)?.(result);
    awaited.delete(id);
  });
  return {
    send: (method, params = {}) =>
      new Promise((resolve) => {
        awaited.set(++lastId, resolve);
        socket.send(JSON.stringify({ id: lastId, method, params }));
      }),
    close: () => socket.close(),
  };
}
