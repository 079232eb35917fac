import type { OpenChannel } from "./channelRecord.ts";

const PREFIX = "open:";

/** The list of channels with amounts that are sold but not claimed, in the storage of a Durable Object. */
export class OpenChannels {
  readonly #storage: DurableObjectStorage;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
  }

  /** Replaces the entry of a channel. `entry` is JSON; undefined removes the channel. */
  list(name: string, entry: string | undefined): void {
    const { kv } = this.#storage;
    if (entry === undefined) kv.delete(PREFIX + name);
    else kv.put(PREFIX + name, entry);
  }

  /** Returns up to `limit` channels, in the order of their names. */
  all(limit: number): OpenChannel[] {
    const found = this.#storage.kv.list<string>({ prefix: PREFIX, limit });
    return [...found].map(([, entry]) => JSON.parse(entry) as OpenChannel);
  }
}
