import type { ChannelRecord } from "./channelRecord.ts";
import type { ChannelWorld } from "./channelWorld.ts";

/** Reason why a channel is not free, and the time that a call can wait for a change, in milliseconds. */
export interface Blocked {
  status: "busy" | "settling";
  waitMs: number;
}

/** The stored record of a channel, and the calls that wait until the record changes. */
export class ChannelStore {
  readonly #world: ChannelWorld;
  #waiting = new Set<() => void>();

  constructor(world: ChannelWorld) {
    this.#world = world;
  }

  load(): ChannelRecord | undefined {
    return this.#world.load();
  }

  save(record: ChannelRecord): void {
    this.#world.save(record);
    this.#notifyWaiting();
  }

  /** Ends a reservation. Deletes the record of a channel if the channel has never sold a call. */
  free(id: string): void {
    const record = this.load();
    if (record?.pending?.id !== id) return;
    const { pending: _, ...free } = record;
    if (record.lastCallAt === 0) this.#world.clear();
    else this.#world.save(free);
    this.#notifyWaiting();
  }

  /**
   * Returns the reason why the channel is not free for a call that waits until `until`. Returns undefined if the
   * channel is free.
   */
  blocked(until: number): Blocked | undefined {
    const pending = this.load()?.pending;
    const now = this.#world.now();
    if (!pending) return undefined;
    if (pending.settling) return { status: "settling", waitMs: until - now };
    return pending.until <= now ? undefined : { status: "busy", waitMs: Math.min(until, pending.until) - now };
  }

  /** Waits until the record changes, but at most `ms` milliseconds. */
  changed(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.add(resolve);
      void this.#world.sleep(ms).then(() => {
        this.#waiting.delete(resolve);
        resolve();
      });
    });
  }

  #notifyWaiting(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}
