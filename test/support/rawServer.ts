import { createServer, type Socket } from "node:net";

/** A connection that the test server has accepted. */
interface Connection {
  socket: Socket;
  closed: Promise<void>;
}

/** A local server that answers with exact bytes, which need not be valid HTTP. */
export interface RawServer {
  port: number;
  /** All connections that the server has accepted, oldest first. */
  connections: Connection[];
  stop(): void;
}

/**
 * Starts a server on a free loopback port. `answer` writes the answer to a request to the socket, and may depend on the
 * path.
 */
export async function startRawServer(answer: (path: string, socket: Socket) => void): Promise<RawServer> {
  const connections: Connection[] = [];
  const server = createServer((socket) => {
    connections.push({ socket, closed: new Promise((resolve) => socket.once("close", () => resolve())) });
    socket.on("error", () => {}); // a client may disconnect at any time
    socket.once("data", (request) => answer(request.toString("latin1").split(" ")[1] ?? "", socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = () => {
    server.close();
    for (const { socket } of connections) socket.destroy();
  };
  return { port: (server.address() as { port: number }).port, connections, stop };
}

/** Returns the head of an HTTP/1.1 response that closes the connection. */
export function head(status: string, ...headers: string[]): string {
  return [`HTTP/1.1 ${status}`, "Connection: close", ...headers, "", ""].join("\r\n");
}

/** Writes the same bytes forever, as fast as the client reads. */
export function pour(socket: Socket, bytes: string | Uint8Array): void {
  const more = () => {
    while (!socket.destroyed && socket.write(bytes));
  };
  socket.on("drain", more);
  more();
}

/** Writes the same few bytes several times a second, forever. */
export function drip(socket: Socket, bytes: string): void {
  const timer = setInterval(() => socket.write(bytes), 100);
  socket.on("close", () => clearInterval(timer));
}
