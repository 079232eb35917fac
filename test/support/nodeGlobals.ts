/** Globals that workerd has but Node.js 24 lacks, for tests in plain Node. */
import { hash } from "node:crypto";
import { scheduler, setTimeout as sleep } from "node:timers/promises";
import { internet } from "./internet.ts";

interface Base64Options {
  alphabet?: "base64" | "base64url";
  omitPadding?: boolean;
}

/**
 * Replacements for `toHex`, `toBase64` and `fromBase64`, which only newer versions of V8 have (TC39 "Uint8Array to/from
 * base64").
 */
const encodings = {
  toHex(this: Uint8Array): string {
    return Buffer.from(this.buffer, this.byteOffset, this.length).toString("hex");
  },
  toBase64(this: Uint8Array, { alphabet = "base64", omitPadding = false }: Base64Options = {}): string {
    const text = Buffer.from(this.buffer, this.byteOffset, this.length).toString("base64");
    const padded = alphabet === "base64url" ? text.replaceAll("+", "-").replaceAll("/", "_") : text;
    return omitPadding ? padded.replaceAll("=", "") : padded;
  },
};

/** Decodes base64. Throws on characters outside the alphabet, as the standard requires. */
function fromBase64(text: string, { alphabet = "base64" }: Base64Options = {}): Uint8Array {
  const plain = alphabet === "base64url" ? text.replaceAll("-", "+").replaceAll("_", "/") : text;
  return Uint8Array.from(atob(plain), (character) => character.charCodeAt(0));
}

for (const [name, value] of Object.entries(encodings))
  Object.defineProperty(Uint8Array.prototype, name, { value, configurable: true, writable: true });
Object.assign(Uint8Array, { fromBase64 });
Object.assign(globalThis, { scheduler });

/**
 * Latency of the simulated internet in milliseconds. It lets all concurrent calls start before any of them is answered.
 */
const LATENCY_MS = 5;

/** Fetches from the simulated internet, like the Worker under test. Rejects as soon as the signal aborts. */
globalThis.fetch = async (resource, options) => {
  const { signal, ...others } = options ?? {};
  signal?.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  signal?.addEventListener("abort", () => aborted.reject(signal.reason));
  return Promise.race([sleep(LATENCY_MS).then(() => internet(new Request(resource, others))), aborted.promise]);
};

/**
 * Computes SHA-256 on the current thread. A thread pool would finish in any order and disturb the seeded order of
 * microtasks.
 */
const digestInPool = crypto.subtle.digest.bind(crypto.subtle);
crypto.subtle.digest = async (algorithm, data) =>
  algorithm === "SHA-256"
    ? new Uint8Array(hash("sha256", data as Uint8Array, "buffer")).buffer
    : digestInPool(algorithm, data);
