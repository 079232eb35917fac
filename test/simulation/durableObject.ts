import { type Execution, never, type World } from "./world.ts";

/** Maximum time until a write is durable, in milliseconds. The object's messages wait for its writes. */
const FLUSH_MS = 20;

/** A running instance of a Durable Object's class. */
export interface Instance {
  alarm?(): Promise<void>;
  [method: string]: unknown;
}

/** A simulated Durable Object: its storage, and the current instance of its class. */
export class SimulatedObject {
  readonly name: string;
  readonly kv = new Map<string, unknown>();
  alarmAt: number | undefined;
  life: { execution: Execution; instance: Instance; cut: Set<(error: Error) => void> } | undefined;
  /**
   * Writes that are not durable yet. Each has a function that undoes it, its time, and the time at which it becomes
   * durable.
   */
  #unflushed: { undo: () => void; written: number; at: number }[] = [];
  readonly #world: World;
  #callOff: () => void = () => {};

  constructor(name: string, world: World) {
    this.name = name;
    this.#world = world;
  }

  /** Time in Unix milliseconds when all current writes are durable. */
  get flushedAt(): number {
    return this.#unflushed.at(-1)?.at ?? 0;
  }

  /** Ends the current instance. Undoes its non-durable writes and fails its calls in progress. */
  die(): void {
    const { life } = this;
    if (!life) return;
    this.life = undefined;
    life.execution.die();
    for (const { undo, at } of this.#unflushed.reverse()) if (at > this.#world.now) undo();
    this.#unflushed = [];
    for (const cut of life.cut)
      cut(Object.assign(new Error("The Durable Object's code has been reset."), { remote: true }));
  }

  setAlarm(at: number | undefined): void {
    this.#callOff();
    this.alarmAt = at;
    if (at === undefined) return;
    const world = this.#world;
    const late = world.fails(0.05) ? world.below(60_000) : 1 + world.below(100);
    this.#callOff = world.later(Math.max(0, at - world.deploymentNow) + late, () => {
      this.alarmAt = undefined;
      this.ring(0);
    });
  }

  ring: (failures: number) => void = () => {};

  /** Returns the storage that an instance sees. */
  storageFor(execution: Execution) {
    const write = (undo: () => void) => {
      if (execution.isDead) throw new Error("the object is gone");
      const { now } = this.#world;
      this.#unflushed = this.#unflushed.filter((one) => one.at > now);
      const last = this.#unflushed.at(-1);
      // writes that follow each other without a yield become durable at the same time
      const at = last?.written === now ? last.at : Math.max(last?.at ?? 0, now + 1 + this.#world.below(FLUSH_MS));
      this.#unflushed.push({ undo, written: now, at });
    };
    const setAlarm = (at: number | undefined) => {
      const before = this.alarmAt;
      write(() => this.setAlarm(before));
      this.setAlarm(at);
    };
    const remove = (key: string) => {
      const before = this.kv.get(key);
      if (before === undefined) return;
      write(() => this.kv.set(key, before));
      this.kv.delete(key);
    };
    return {
      kv: {
        get: (key: string) => cloned(this.kv.get(key)),
        put: (key: string, value: unknown) => {
          const before = this.kv.get(key);
          write(() => (before === undefined ? this.kv.delete(key) : this.kv.set(key, before)));
          this.kv.set(key, cloned(value));
        },
        delete: remove,
        list: ({ prefix = "", start = "", end = "\uffff", startAfter = "", reverse = false, limit = 1e9 }) => {
          const keys = [...this.kv.keys()].filter(
            (key) => key.startsWith(prefix) && key >= start && key < end && key > startAfter,
          );
          const sorted = reverse ? keys.toSorted().reverse() : keys.toSorted();
          return sorted.slice(0, limit).map((key) => [key, cloned(this.kv.get(key))]);
        },
      },
      getAlarm: async () => this.alarmAt ?? null,
      setAlarm: async (at: number) => (execution.isDead ? never() : setAlarm(at)),
      deleteAlarm: async () => (execution.isDead ? never() : setAlarm(undefined)),
      deleteAll: async () => {
        if (execution.isDead) return never();
        for (const key of [...this.kv.keys()]) remove(key);
        setAlarm(undefined);
      },
    };
  }
}

/** Copies plain data for storage and messages, much faster than `structuredClone`. */
export function cloned<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(cloned) as T;
  const copy: Record<string, unknown> = {};
  for (const name in value) copy[name] = cloned(value[name]);
  return copy as T;
}
