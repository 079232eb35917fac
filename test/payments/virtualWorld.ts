/** An event that is scheduled for a time. Events at the same time run in ascending order of `order`. */
interface Due {
  at: number;
  order: number;
  run: () => void;
}

/** A manual clock and a random generator. One seed determines the order of events and the random numbers. */
export class VirtualWorld {
  /** The current time in Unix milliseconds. */
  now = 1_000_000_000_000;
  readonly #random: () => number;
  readonly #events: Due[] = [];

  constructor(seed: number) {
    this.#random = mulberry32(seed);
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.later(ms, resolve));
  }

  /**
   * Schedules `run` after `ms`. Runs functions that are due at the same time in random order. Returns a function that
   * cancels the schedule.
   */
  later(ms: number, run: () => void): () => void {
    const event = { at: this.now + ms, order: this.#random(), run };
    this.#events.push(event);
    return () => {
      const at = this.#events.indexOf(event);
      if (at >= 0) this.#remove(at);
    };
  }

  /** Advances the clock by `ms` and runs the due events, one at a time. */
  async pass(ms: number): Promise<void> {
    const end = this.now + ms;
    do
      for (let turn = 0; turn < 40; turn++) await undefined; // lets pending promises settle
    while (this.happen(end));
  }

  /** Runs the next event that is due by `end`. Returns false, with the clock at `end`, if no event is due. */
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

  /** Returns a random integer from 0 up to, but not including, `limit`. */
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

/** Returns a seeded random generator (mulberry32) of numbers from 0 up to, but not including, 1. */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
