/** Something that happens at a time; of what does at the same, the lowest order comes first. */
interface Due {
  at: number;
  order: number;
  run: () => void;
}

/** A clock that moves only when it is told to, and chance, both from one seed: the same seed gives the same world. */
export class VirtualWorld {
  /** Unix milliseconds. */
  now = 1_000_000_000_000;
  readonly #random: () => number;
  readonly #events: Due[] = [];

  constructor(seed: number) {
    this.#random = mulberry32(seed);
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.later(ms, resolve));
  }

  /** Runs something after `ms`; what is due at once happens in any order. Returns a function that calls it off. */
  later(ms: number, run: () => void): () => void {
    const event = { at: this.now + ms, order: this.#random(), run };
    this.#events.push(event);
    return () => {
      const at = this.#events.indexOf(event);
      if (at >= 0) this.#remove(at);
    };
  }

  /** Lets `ms` pass, and what falls due in it happen, one thing at a time. */
  async pass(ms: number): Promise<void> {
    const end = this.now + ms;
    do
      for (let turn = 0; turn < 40; turn++) await undefined; // whatever can go on without the clock
    while (this.happen(end));
  }

  /** Lets the next thing happen that falls due until `end`. Returns false, at that time, if there is none. */
  protected happen(end: number): boolean {
    let next: Due | undefined;
    let place = 0;
    for (let at = 0; at < this.#events.length; at++) {
      const event = this.#events[at]!;
      if (next && (event.at > next.at || (event.at === next.at && event.order > next.order))) continue;
      [next, place] = [event, at];
    }
    const isDue = next !== undefined && next.at <= end;
    this.now = isDue ? next!.at : end;
    if (!isDue) return false;
    this.#remove(place);
    next!.run();
    return true;
  }

  /** A whole number from 0 to below `limit`. */
  below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  chance(probability: number): boolean {
    return this.#random() < probability;
  }

  #remove(at: number): void {
    const last = this.#events.pop()!;
    if (at < this.#events.length) this.#events[at] = last;
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
