import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { paymentFor } from "../../scripts/lib/pay.ts";
import { type StartedWorker, startWorker } from "../support/worker.ts";

let worker: StartedWorker;
beforeAll(async () => {
  worker = await startWorker();
});
afterAll(() => worker?.stop());

/** Returns a payment header with an invalid signature. */
async function forgedPayment(): Promise<string> {
  const payment = JSON.parse(atob(await paymentFor(`${worker.url}/v1/watermark/text`)));
  payment.payload.signature = `0x${"f0".repeat(65)}`;
  return btoa(JSON.stringify(payment));
}

test.each([1, 20, 95])(
  "a client that sends a %i MB body with a forged payment still receives the error response",
  async (megabytes) => {
    for (let times = 0; times < 5; times++) {
      const form = new FormData();
      form.set("file", new File([new Uint8Array(megabytes * 1e6)], "a.pdf"));
      form.set("text", "A");
      const headers = { "X-PAYMENT": await forgedPayment() };
      const response = await fetch(`${worker.url}/v1/watermark/text`, { method: "POST", headers, body: form });
      expect([response.status, await response.json()]).toMatchObject([
        402,
        { error: expect.stringContaining("invalid_exact_evm_payload_signature") },
      ]);
    }
  },
);

/** Sends a call whose body never arrives. Returns the first line of the response. */
function answerWithoutBody(method: string, path: string, announced: string): Promise<string> {
  const { hostname, port, host } = new URL(worker.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(`${method} ${path} HTTP/1.1\r\nHost: ${host}\r\n${announced}\r\n\r\n1`);
    });
    socket.once("data", (data) => {
      resolve(data.toString("latin1").split("\r\n")[0]!);
      socket.destroy();
    });
    socket.once("error", reject);
  });
}

test.each([
  ["GET", "/v1/limits", "200 OK"],
  ["HEAD", "/openapi.json", "200 OK"],
  ["OPTIONS", "/v1/watermark/text", "204 No Content"],
  ["GET", "/mcp", "405 Method Not Allowed"],
  ["HEAD", "/nothing", "404 Not Found"],
  ["POST", "/v1/watermark/text", "402 Payment Required"],
])("the Worker responds without waiting for a body that never arrives: %s %s", async (method, path, status) => {
  for (const announced of ["Content-Length: 100000", "Transfer-Encoding: chunked"])
    expect(await answerWithoutBody(method, path, announced)).toBe(`HTTP/1.1 ${status}`);
});

/**
 * Sends the beginning of a body and ends the stream, but keeps the connection open for reading. Returns the response.
 */
function answerToCut(path: string, headers: Record<string, string>, beginning: string): Promise<string> {
  const { hostname, port, host } = new URL(worker.url);
  return new Promise((resolve, reject) => {
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true }, () => {
      const lines = Object.entries({ Host: host, Connection: "close", ...headers }).map((line) => line.join(": "));
      socket.end(`POST ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${beginning}`);
    });
    let answer = "";
    socket.on("data", (data) => (answer += data.toString("latin1")));
    socket.once("end", () => resolve(answer));
    socket.once("error", reject);
  });
}

const part = (name: string, filename: string) =>
  `Content-Disposition: form-data; name="${name}"; filename="${filename}"\r\n\r\n`;
const long = "A".repeat(20_000);

test.each([
  ["a form", "/v1/watermark/text", "multipart/form-data; boundary=b", `--b\r\n${part("file", "a.pdf")}%PDF-1.7${long}`],
  ["JSON", "/v1/watermark/text", "application/json", `{"text":"A","file":"${long}`],
  ["a PDF", "/v1/watermark/text?text=A", "application/pdf", `%PDF-1.7${long}`],
  ["an MCP message", "/mcp", "application/json", `{"jsonrpc":"2.0","method":"${long}`],
  ["an upload request", "/v1/uploads", "application/json", `{"size":${long.replaceAll("A", " ")}`],
])(
  "the Worker reports a truncated body as invalid_request instead of internal_error: %s",
  async (_, path, type, beginning) => {
    for (const length of [{ "Content-Length": "500000" }, { "Transfer-Encoding": "chunked" }]) {
      const payment = await paymentFor(`${worker.url}/v1/watermark/text`);
      const isChunked = "Transfer-Encoding" in length;
      const body = isChunked ? `${beginning.length.toString(16)}\r\n${beginning}\r\n` : beginning;
      const headers = { "Content-Type": type, "X-PAYMENT": payment, ...length };
      const answer = await answerToCut(path, headers, body);
      expect([answer.split("\r\n")[0], answer]).toEqual([
        expect.stringContaining(" 400 "),
        expect.stringContaining('"code":"invalid_request"'),
      ]);
    }
  },
);
