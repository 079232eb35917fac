import { request as ask, createServer } from "node:http";

/** Answer that the proxy sends in place of the Worker's answer. */
interface Answer {
  status: number;
  headers: Record<string, string>;
  problem: object;
}

/**
 * Starts a proxy in front of a Worker. On request of a test, the proxy forwards a call to the Worker but drops or
 * replaces the answer.
 */
export async function startProxy(upstream: string) {
  const { hostname, port } = new URL(upstream);
  let instead: Answer | "nothing" | undefined;
  let passing = 0;
  const posted: { path: string; bytes: number }[] = [];
  const server = createServer((request, response) => {
    const { method, url: path, headers } = request;
    const call = { path: path!, bytes: 0 };
    if (method === "POST") posted.push(call);
    request.on("data", (chunk: Buffer) => (call.bytes += chunk.length));
    const passedOn = ask({ hostname, port, method, path, headers }, (answer) => {
      if (instead && method === "POST" && answer.statusCode === 200 && passing-- === 0) {
        const given = instead;
        instead = undefined;
        answer.resume();
        if (given !== "nothing")
          return response.writeHead(given.status, given.headers).end(JSON.stringify(given.problem));
        // Sends the headers before the proxy breaks the connection, because a browser retries a connection that breaks
        // earlier.
        response.writeHead(200, answer.rawHeaders).flushHeaders();
        return answer.on("end", () => response.destroy());
      }
      response.writeHead(answer.statusCode!, answer.rawHeaders);
      return answer.pipe(response);
    });
    passedOn.on("error", () => response.destroy());
    request.pipe(passedOn);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    /** Paths and sizes of the POST requests, in order. */
    posted,
    /**
     * Makes the proxy drop or replace the answer to a successful POST, after it has passed on `passed` other successful
     * answers.
     */
    loseNextAnswer: (given: Answer | "nothing" = "nothing", passed = 0) => {
      instead = given;
      passing = passed;
    },
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
