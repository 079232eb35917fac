import { CLIENT, ORIGIN } from "./addresses.ts";
import type { Machine } from "./machine.ts";
import { SimulatedHeaders } from "./messages.ts";
import { ByteStream } from "./streams.ts";
import { Execution, runAs, type World } from "./world.ts";

/** Time in milliseconds for which a call's background tasks may run after the client has disconnected. */
const GRACE_MS = 30_000;

/** Time in milliseconds for which a client waits for an answer. */
const PATIENCE_MS = 450_000;

/** The request that a client sends. */
export interface Sent {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: Uint8Array;
}

/** The answer that a client receives. */
export interface Answer {
  status: number;
  headers: SimulatedHeaders;
  bytes: Uint8Array;
}

/** Delays and disconnections caused by the client. */
export interface Mishap {
  /** Number of bytes of the request body after which the client disconnects. */
  breaksAt?: number;
  /** Pause between two pieces of the request body, in milliseconds. */
  pauseMs?: number;
  /** Time in milliseconds after which the client disconnects. */
  goneAfter?: number;
}

/** The service: the Worker, running on several machines. */
export class Service {
  readonly #world: World;
  readonly #machines: readonly Machine[];
  readonly #hasNode: boolean;
  readonly #calls = new Set<Execution>();

  constructor(world: World, machines: readonly Machine[], hasNode: boolean) {
    this.#world = world;
    this.#machines = machines;
    this.#hasNode = hasNode;
  }

  /** Sends a request to a random machine. Returns undefined if the client has disconnected or the call has died. */
  async send({ method, path, headers = {}, body }: Sent, mishap: Mishap = {}): Promise<Answer | undefined> {
    const world = this.#world;
    const machine = world.pick(this.#machines);
    const execution = new Execution(world, machine.skewMs);
    const sent = new SimulatedHeaders({ ...CLIENT, ...headers });
    if (body) sent.set("Content-Length", String(body.length));
    const request = {
      method,
      url: path.startsWith("https:") ? path : ORIGIN + path,
      headers: sent,
      body: body ? this.#streamOf(body, mishap) : null,
      signal: undefined,
    };
    let tasks = 0;
    const context = {
      waitUntil(task: Promise<unknown>) {
        tasks++;
        const end = () => void tasks--;
        task.then(end, end);
      },
      passThroughOnException() {},
      props: {},
    };
    this.#calls.add(execution);
    await world.sleep(world.below(30));
    const { promise: gone, resolve: go } = Promise.withResolvers<undefined>();
    if (mishap.goneAfter !== undefined)
      world.later(mishap.goneAfter, () => {
        go(undefined);
        if (tasks === 0) execution.die();
        else world.later(GRACE_MS, () => execution.die());
      });
    const answered = runAs(execution, async () => {
      const response = await machine.script.app.fetch(
        request as unknown as Request,
        machine.env(this.#hasNode) as never,
        context as never,
      );
      const bytes = await response.bytes();
      return { status: response.status, headers: response.headers as unknown as SimulatedHeaders, bytes };
    }).catch((error: Error) => {
      // The client disconnected in the middle of the request body.
      if (error.message === "Network connection lost.") return undefined;
      throw error;
    });
    const answer = await Promise.race([answered, gone, world.sleep(PATIENCE_MS).then(() => undefined)]);
    await world.sleep(world.below(30));
    return execution.isDead || mishap.breaksAt !== undefined ? undefined : answer;
  }

  /** Runs the sweep for the current hour. Returns whether the sweep has finished. */
  async sweep(): Promise<boolean> {
    const world = this.#world;
    const machine = world.pick(this.#machines);
    const execution = new Execution(world, machine.skewMs);
    this.#calls.add(execution);
    const { finished } = await runAs(execution, () =>
      machine.script.sweep(machine.env(this.#hasNode).RESULTS as never, world.deploymentNow),
    );
    return finished;
  }

  /** Kills a random machine. All its calls end immediately. */
  killMachine(): void {
    const { skewMs } = this.#world.pick(this.#machines);
    for (const call of this.#calls) if (call.skewMs === skewMs) call.die();
  }

  #streamOf(bytes: Uint8Array, { breaksAt, pauseMs }: Mishap): ByteStream {
    if (breaksAt === undefined && pauseMs === undefined) return ByteStream.of(bytes);
    const world = this.#world;
    const end = Math.min(breaksAt ?? bytes.length, bytes.length);
    const step = Math.ceil(bytes.length / 3);
    let at = 0;
    return new ByteStream(async () => {
      if (at < end) await world.sleep(pauseMs ?? 10);
      else if (breaksAt !== undefined) throw new Error("Network connection lost.");
      else return undefined;
      const piece = bytes.slice(at, Math.min(at + step, end));
      at += piece.length;
      return piece;
    });
  }
}
