/** Calls that attackers send to the running Worker, and helpers that sign and forge payments. */
import { connect, type Socket } from "node:net";
import { generatePrivateKey } from "viem/accounts";
import type { Offer } from "../scripts/lib/pay.ts";

/** The address of a server. Another process may have started the server. */
interface Server {
  url: string;
}

/** The endpoint of text marks. */
export const TEXT = "/v1/watermark/text";
/** First hexadecimal digits of the signature of every forged payment. */
export const FORGED = "0xf0f0f0f0f0";
export const JSON_TYPE = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
export const FORM = { "Content-Type": "multipart/form-data; boundary=b" };

/** A call to the Worker. */
export interface Call {
  path?: string;
  headers: Record<string, string>;
  body: Uint8Array;
  /** Value of Content-Length, if it is larger than `body`. The remaining bytes are never sent. */
  announced?: number;
}

/**
 * Sends a call with its whole body, even after an early answer. Returns the status of the answer, or 0 if the
 * connection ends without an answer.
 * @param held a list that collects the open connections
 */
export function send(
  server: Server,
  { path = TEXT, headers, body, announced }: Call,
  held?: Socket[],
): Promise<number> {
  const { hostname, port, host } = new URL(server.url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    held?.push(socket);
    let answer = "";
    let [at, isAnswered] = [0, false];
    const over = () => {
      socket.destroy();
      resolve(Number(answer.split(" ")[1] ?? 0));
    };
    socket.on("error", over).on("close", over);
    socket.on("data", (data) => {
      answer += data.toString("latin1");
      const [head = "", rest] = answer.split(/\r\n\r\n(.*)/s);
      const length = /^content-length: (\d+)/im.exec(head)?.[1];
      isAnswered =
        rest !== undefined && (length !== undefined ? rest.length >= Number(length) : rest.endsWith("0\r\n\r\n"));
      more();
    });
    const all = {
      Host: host,
      "Accept-Encoding": "gzip",
      "Content-Length": String(announced ?? body.length),
      ...headers,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`POST ${path} HTTP/1.1\r\n${lines.join("")}\r\n`);
    const more = () => {
      if (isAnswered && at >= body.length && !held) over();
      for (let isTaken = true; isTaken && at < body.length && !socket.destroyed; at += 65_536)
        isTaken = socket.write(body.subarray(at, at + 65_536));
    };
    socket.on("drain", more);
    more();
  });
}

/** Returns the body of a form with a file and the text "A". The headers of the form are {@link FORM}. */
export function upload(pdf: Uint8Array): Buffer {
  const [before, after] = [
    '--b\r\nContent-Disposition: form-data; name="text"\r\n\r\nA\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n',
    "\r\n--b--\r\n",
  ];
  return Buffer.concat([Buffer.from(before), pdf, Buffer.from(after)]);
}

/** Returns a file of the given length that begins like a PDF but is not a PDF. */
export const pdfOf = (bytes: number) => Buffer.concat([Buffer.from("%PDF-1.7\n"), Buffer.alloc(bytes)]);

/** Requests the price of a text mark and returns the first offer. */
export async function termsOf({ url }: Server): Promise<Offer> {
  const response = await fetch(url + TEXT, { method: "POST" });
  return ((await response.json()) as { accepts: Offer[] }).accepts[0]!;
}

/** Returns a copy of a payment with an invalid signature. */
export function forged(payment: string): string {
  const value = JSON.parse(atob(payment)) as { payload: { signature: string } };
  value.payload.signature = FORGED + value.payload.signature.slice(FORGED.length);
  return btoa(JSON.stringify(value));
}

/** Returns a random address, whose private key is unknown. */
export const randomPayer = () => generatePrivateKey().slice(0, 42);

/**
 * Returns a copy of a payment with a new nonce and, by default, a new payer. The copy is not signed again, because
 * signing would distort the measurement. The benchmarks' facilitator accepts the copy.
 */
export function another(payment: string, from = randomPayer()): string {
  const value = JSON.parse(atob(payment)) as { payload: { authorization: Record<"from" | "nonce", string> } };
  Object.assign(value.payload.authorization, { from, nonce: generatePrivateKey() });
  return btoa(JSON.stringify(value));
}
