import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import type { ProblemCode } from "../../src/shared/problems.ts";
import { onePage } from "./pdf.ts";
import { drip, head, pour } from "./rawServer.ts";

/**
 * A hostile answer of a server from which the Worker fetches a file. `code` and `words` describe the problem that the
 * caller receives.
 */
export interface HostileAnswer {
  answer(socket: Socket): void;
  code: ProblemCode;
  words: string;
}

const pdf = Buffer.from(onePage).toString("latin1");
const zipped = gzipSync(onePage);
const page = "<!DOCTYPE html><p>the far side's own words";
const json = `{"error":"the far side's own words"}`;

const says = (answer: string) => (socket: Socket) => void socket.write(answer, "latin1");
const hangsUpAfter = (answer: string) => (socket: Socket) => void socket.end(answer, "latin1");
const redirects = (location: string) => says(head("302 Found", `Location: ${location}`, "Content-Length: 0"));
const encoded = (encoding: string, bytes: Uint8Array, length = bytes.length) =>
  says(
    head("200 OK", `Content-Encoding: ${encoding}`, `Content-Length: ${length}`) +
      Buffer.from(bytes).toString("latin1"),
  );
const begins = (start: string, then: (socket: Socket) => void) => (socket: Socket) => {
  socket.write(start);
  then(socket);
};

const late = { code: "source_timeout", words: "did not deliver the file within" } as const;
const large = { code: "source_too_large", words: "larger than" } as const;
const refused = { code: "source_unreachable", words: "could not be fetched" } as const;
const broken = { code: "source_unreachable", words: "connection closed" } as const;
const status = (number: number) => ({ code: "source_unreachable", words: `answered ${number}` }) as const;
const circle = { code: "source_unreachable", words: "in a loop" } as const;

/** Hostile answers of a file server, by URL path. */
export const HOSTILE_ANSWERS: Record<string, HostileAnswer> = {
  "/silent": { answer: () => {}, ...late },
  "/silent-after-its-head": { answer: says(head("200 OK", "Content-Length: 1000")), ...late },
  "/slow-head": { answer: begins("HTTP/1.1 200 OK\r\n", (socket) => drip(socket, "X-A: b\r\n")), ...late },
  "/slow-body": { answer: begins(head("200 OK", "Content-Length: 1000"), (socket) => drip(socket, "a")), ...late },
  "/slow-chunks": {
    answer: begins(head("200 OK", "Transfer-Encoding: chunked"), (socket) => drip(socket, "1\r\na\r\n")),
    ...late,
  },
  "/slow-in-the-end": { answer: redirects("/slow-body"), ...late },

  "/announces-too-much": { answer: says(head("200 OK", "Content-Length: 1000000000000")), ...large },
  "/endless": { answer: begins(head("200 OK"), (socket) => pour(socket, "a".repeat(65_536))), ...large },
  "/endless-chunks": {
    answer: begins(head("200 OK", "Transfer-Encoding: chunked"), (socket) =>
      pour(socket, `1000\r\n${"a".repeat(4096)}\r\n`),
    ),
    ...large,
  },
  "/bomb": { answer: encoded("gzip", gzipSync(Buffer.alloc(100_000_000))), ...large },
  "/endless-head": {
    answer: begins("HTTP/1.1 200 OK\r\n", (socket) => pour(socket, `X-A: ${"b".repeat(1000)}\r\n`)),
    ...refused,
  },
  "/endless-refusal": {
    answer: begins(head("403 Forbidden"), (socket) => pour(socket, "the far side's own words")),
    ...status(403),
  },
  "/endless-redirect": {
    answer: begins(head("302 Found", "Location: /announces-too-much"), (socket) => pour(socket, "a".repeat(65_536))),
    ...large,
  },

  "/announces-more": { answer: hangsUpAfter(head("200 OK", `Content-Length: ${pdf.length + 1}`) + pdf), ...broken },
  "/announces-less": {
    answer: says(head("200 OK", "Content-Length: 3") + pdf),
    code: "not_a_pdf",
    words: "is not a PDF",
  },
  "/announces-twice": {
    answer: says(head("200 OK", "Content-Length: 3", `Content-Length: ${pdf.length}`) + pdf),
    ...refused,
  },
  "/announces-nonsense": { answer: says(head("200 OK", "Content-Length: -1") + pdf), ...refused },
  "/cut-in-a-chunk": {
    answer: hangsUpAfter(`${head("200 OK", "Transfer-Encoding: chunked")}5000\r\n${pdf}`),
    ...broken,
  },
  "/cut-between-chunks": {
    answer: hangsUpAfter(`${head("200 OK", "Transfer-Encoding: chunked")}${pdf.length.toString(16)}\r\n${pdf}\r\n`),
    ...broken,
  },
  "/cut-in-gzip": {
    answer: (socket) => {
      encoded("gzip", zipped.subarray(0, -20), zipped.length)(socket);
      socket.end();
    },
    ...broken,
  },
  "/gzip-without-end": { answer: encoded("gzip", zipped.subarray(0, -20)), ...broken },
  "/no-gzip": { answer: encoded("gzip", onePage), ...broken },
  "/gzip-twice": {
    answer: encoded("gzip, gzip", gzipSync(zipped)),
    code: "source_unreachable",
    words: "Content-Encoding",
  },
  "/hangs-up": { answer: (socket) => void socket.end(), ...refused },
  "/resets": { answer: (socket) => void socket.resetAndDestroy(), ...refused },
  "/no-http": { answer: hangsUpAfter("SSH-2.0-OpenSSH_9.6\r\n\r\n"), ...refused },

  "/loop": { answer: redirects("/loop"), ...circle },
  "/there": { answer: redirects("/back"), ...circle },
  "/back": { answer: redirects("/there"), ...circle },
  "/nothing": { answer: says(head("204 No Content")), ...status(204) },
  "/a-part": {
    answer: says(`${head("206 Partial Content", "Content-Range: bytes 0-2/9", "Content-Length: 3")}%PD`),
    ...status(206),
  },
  "/empty": { answer: says(head("200 OK", "Content-Length: 0")), code: "not_a_pdf", words: "is empty" },
  "/page": {
    answer: says(head("200 OK", "Content-Type: application/pdf", `Content-Length: ${page.length}`) + page),
    code: "not_a_pdf",
    words: "a web page",
  },
  "/json": { answer: says(head("200 OK", `Content-Length: ${json.length}`) + json), code: "not_a_pdf", words: "JSON" },
};

/** Answers of a well-behaved file server, by URL path. */
export const GOOD_ANSWERS: Record<string, (socket: Socket) => void> = {
  "/good": says(head("200 OK", `Content-Length: ${pdf.length}`) + pdf),
  "/moved": redirects("/good"),
  "/until-it-closes": hangsUpAfter(head("200 OK") + pdf),
  "/gzip": encoded("gzip", zipped),
};
