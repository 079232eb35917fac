import type { OpenChannel } from "./channelRecord.ts";

const PREFIX = "open:";

/**
 * A list of what the deployment still has to settle. A Durable Object stores it. One list has the channels with amounts
 * that are sold but not claimed, and another list the payments whose sale is not completed.
 */
export class OpenChannels {
  readonly #storage: DurableObjectStorage;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
  }

  /**
   * Replaces the entry of a channel or payment in the list. `entry` is JSON. If `entry` is undefined, removes the channel
   * or payment from the list.
   */
  list(name: string, entry: string | undefined): void {
    const { kv } = this.#storage;
    if (entry === undefined) kv.delete(PREFIX + name);
    else kv.put(PREFIX + name, entry);
  }

  /** Returns up to `limit` channels of the list, in the order of their names. */
  all(limit: number): OpenChannel[] {
    const found = this.#storage.kv.list<string>({ prefix: PREFIX, limit });
    return [...found].map(([, entry]) => JSON.parse(entry) as OpenChannel);
  }
}
