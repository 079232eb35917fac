/**
 * The Workers runtime as the Worker's script sees it. Time and randomness come from the world of the current schedule.
 */
import { createHash, hash, timingSafeEqual } from "node:crypto";
import { SimulatedHeaders, SimulatedResponse } from "./messages.ts";
import { FixedLengthStream } from "./streams.ts";
import { elapse, mayDie, never, runAs, running } from "./world.ts";

/**
 * Returns the time in Unix milliseconds. Outside of an execution, such as while a script is loaded, the time is later
 * than any schedule.
 */
function now(): number {
  const execution = running();
  return execution ? execution.world.now + execution.skewMs : 5_000_000_000_000;
}

class SimulatedDate extends Date {
  constructor(...time: [] | [number]) {
    super(...((time.length === 0 ? [now()] : time) as [number]));
  }

  static override now = now;
}

/** Sets a timer that is canceled if its execution dies. */
function setTimeout(act: (...args: unknown[]) => void, ms = 0, ...args: unknown[]): { cancel(): void } {
  const execution = running()!;
  const cancel = execution.world.later(Math.max(0, ms), () => {
    if (!execution.isDead) runAs(execution, () => act(...args));
  });
  return { cancel };
}

function clearTimeout(timer: { cancel(): void } | undefined): void {
  timer?.cancel();
}

const scheduler = { wait: (ms: number) => new Promise<void>((resolve) => setTimeout(() => resolve(), ms)) };

/** The abort signal of a timeout, or of the first of several signals. The Worker needs no other kinds. */
class SimulatedAbortSignal {
  /** The reason for the abort, or undefined before the abort. */
  reason: Error | undefined;
  readonly listeners = new Set<(reason: Error) => void>();

  get aborted(): boolean {
    return this.reason !== undefined;
  }

  static timeout(ms: number): SimulatedAbortSignal {
    const signal = new SimulatedAbortSignal();
    const reason = Object.assign(new Error("The operation was aborted due to timeout"), { name: "TimeoutError" });
    setTimeout(() => signal.#abort(reason), ms);
    return signal;
  }

  static any(signals: readonly (SimulatedAbortSignal | AbortSignal)[]): SimulatedAbortSignal {
    const any = new SimulatedAbortSignal();
    for (const signal of signals) {
      if (signal.aborted) any.#abort(signal.reason);
      else if (signal instanceof SimulatedAbortSignal) signal.listeners.add((reason) => any.#abort(reason));
      else signal.addEventListener("abort", () => any.#abort(signal.reason));
    }
    return any;
  }

  #abort(reason: Error): void {
    this.reason = reason;
    for (const listener of this.listeners) listener(reason);
  }
}

/** Fills the array with random bytes from the schedule's world, so that a seed always produces the same tokens. */
function getRandomValues(bytes: Uint8Array): Uint8Array {
  const { world } = running()!;
  for (let at = 0; at < bytes.length; at++) bytes[at] = world.below(256);
  if (bytes.length === 32) world.tokens.push(bytes.toHex());
  return bytes;
}

/** A stream that hashes the bytes written to it. */
class DigestStream {
  readonly digest: Promise<ArrayBuffer>;
  readonly #digest = Promise.withResolvers<ArrayBuffer>();
  readonly #sha256 = createHash("sha256");

  constructor() {
    this.digest = this.#digest.promise;
  }

  getWriter() {
    return {
      write: async (chunk: Uint8Array) => void this.#sha256.update(chunk),
      close: async () => this.#digest.resolve(new Uint8Array(this.#sha256.digest()).buffer),
    };
  }
}

const simulatedCrypto = {
  getRandomValues,
  randomUUID() {
    const hex = Buffer.from(getRandomValues(new Uint8Array(16))).toString("hex");
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
  },
  // The hash is computed synchronously, because threads would finish in an unpredictable order.
  subtle: { digest: async (_: string, data: Uint8Array) => hash("sha256", data, "buffer"), timingSafeEqual },
  DigestStream,
};

/** Replaces the global `fetch`, so that requests reach simulated servers. */
async function fetch(url: string | URL, { signal, body }: Fetched = {}): Promise<SimulatedResponse> {
  const execution = running()!;
  const { world } = execution;
  const held = execution.heldUntil() - world.now;
  if (held > 0) await elapse(held);
  const { promise, resolve, reject } = Promise.withResolvers<SimulatedResponse>();
  if (signal?.aborted) throw signal.reason;
  signal?.listeners.add(reject);
  runAs(undefined, () => world.internet.answer(new URL(url), body)).then(resolve, reject);
  const response = await promise.finally(() => signal?.listeners.delete(reject));
  return mayDie(execution) ? never() : response;
}

interface Fetched {
  signal?: SimulatedAbortSignal;
  body?: string;
}

const console = {
  log(line: string) {
    const { isDead, world } = running()!;
    if (!isDead) world.log.push(line);
  },
};

/** The global variables that replace Node's own for a script. */
export const GLOBALS = {
  Date: SimulatedDate,
  setTimeout,
  clearTimeout,
  scheduler,
  AbortSignal: SimulatedAbortSignal,
  crypto: simulatedCrypto,
  FixedLengthStream,
  Headers: SimulatedHeaders,
  Response: SimulatedResponse,
  fetch,
  console,
};

/** The base class of Durable Objects, in place of the runtime's class. */
class DurableObject {
  readonly ctx: unknown;
  readonly env: unknown;

  constructor(ctx: unknown, env: unknown) {
    this.ctx = ctx;
    this.env = env;
  }
}

/** The modules of the Workers runtime that a script may import. */
export const MODULES: Record<string, unknown> = {
  "cloudflare:workers": {
    DurableObject,
    env: {},
    tracing: { enterSpan: (_: string, act: () => unknown) => act(), getActiveSpan: () => undefined },
  },
  "cloudflare:sockets": {},
};

/** Methods of `Uint8Array` that only newer versions of V8 have. */
const encodings = {
  toHex(this: Uint8Array) {
    return Buffer.from(this.buffer, this.byteOffset, this.length).toString("hex");
  },
  toBase64(this: Uint8Array) {
    return Buffer.from(this.buffer, this.byteOffset, this.length).toString("base64");
  },
};
Object.assign(Uint8Array.prototype, encodings);
Object.assign(Uint8Array, { fromBase64: (text: string) => new Uint8Array(Buffer.from(text, "base64")) });
