/** A clock that moves only when it is told to, and chance, both from one seed: the same seed gives the same world. */
export class VirtualWorld {
  /** Unix milliseconds. */
  now = 1_000_000_000_000;
  #random: () => number;
  #events: { at: number; order: number; run: () => void }[] = [];

  constructor(seed: number) {
    this.#random = mulberry32(seed);
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.later(ms, resolve));
  }

  /** Runs something after `ms`; what is due at once happens in any order. */
  later(ms: number, run: () => void): void {
    this.#events.push({ at: this.now + ms, order: this.#random(), run });
  }

  /** Lets `ms` pass, and what falls due in it happen, one thing at a time. */
  async pass(ms: number): Promise<void> {
    const end = this.now + ms;
    for (;;) {
      for (let turn = 0; turn < 40; turn++) await undefined; // whatever can go on without the clock
      let next = -1;
      for (const [at, event] of this.#events.entries()) {
        const first = this.#events[next];
        if (!first || event.at < first.at || (event.at === first.at && event.order < first.order)) next = at;
      }
      const event = this.#events[next];
      if (!event || event.at > end) break;
      this.#events.splice(next, 1);
      this.now = event.at;
      event.run();
    }
    this.now = end;
  }

  /** A whole number from 0 to below `limit`. */
  below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  chance(probability: number): boolean {
    return this.#random() < probability;
  }
}

/** A small seeded generator of numbers from 0 to 1. */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
