import { vi } from "vitest";

/**
 * Milliseconds without a new request after which a round is answered. Requests that can be sent together have arrived
 * by then.
 */
const QUIET_MS = 100;

/**
 * Counts the round trips of a Worker. All requests of the Worker wait until it sends no more, and are then answered
 * together, as a round. So the number of rounds before a call's answer is the number of consecutive round trips.
 */
export class Rounds {
  /** The requests of each round, with names such as `ledger claim`. */
  readonly all: string[][] = [];
  #asked: string[] = [];
  #hasAsked = Promise.withResolvers<void>();
  #release = Promise.withResolvers<void>();
  #changedAt = 0;

  /** Answers the requests, one round after another, until the call has its answer. Returns the rounds up to then. */
  async during(call: () => Promise<unknown>): Promise<string[][]> {
    let before: string[][] | undefined;
    const called = call().then(() => {
      before = this.all.slice();
    });
    while (!before) await this.#round(called);
    return before;
  }

  /** Answers the rounds that follow the answer of a call. */
  async afterwards(done: Promise<unknown>): Promise<void> {
    let isDone = false;
    const ended = done.finally(() => {
      isDone = true;
    });
    while (!isDone) await this.#round(ended);
  }

  /** Waits for a request or for the end, then for further requests, and answers them all. */
  async #round(end: Promise<unknown>): Promise<void> {
    await Promise.race([this.#hasAsked.promise, end]);
    if (this.#asked.length === 0) return;
    while (Date.now() < this.#changedAt + QUIET_MS)
      await new Promise((resolve) => setTimeout(resolve, this.#changedAt + QUIET_MS - Date.now()));
    this.all.push(this.#asked);
    this.#asked = [];
    this.#changedAt = Date.now();
    this.#release.resolve();
    this.#hasAsked = Promise.withResolvers();
    this.#release = Promise.withResolvers();
  }

  /** Runs `act` in the next round. */
  async take<T>(name: string, act: () => Promise<T>): Promise<T> {
    this.#asked.push(name);
    this.#changedAt = Date.now();
    this.#hasAsked.resolve();
    await this.#release.promise;
    try {
      return await act();
    } finally {
      this.#changedAt = Date.now();
    }
  }

  /** Wraps the bindings of a Worker, so that their requests count. */
  bindings({ LEDGER, BUDGETS, RESULTS, ASSETS }: Env) {
    const objects = (kind: string, namespace: object) => ({
      getByName: (name: string) => this.#each(kind, (namespace as typeof LEDGER).getByName(name)),
    });
    return {
      LEDGER: objects("ledger", LEDGER),
      BUDGETS: objects("budget", BUDGETS),
      RESULTS: this.#each("R2", RESULTS),
      ASSETS: this.#each("assets", ASSETS),
    };
  }

  /** Makes fetches count too, including those of the ledger. vi.restoreAllMocks undoes it. */
  fetching(): void {
    const { fetch } = globalThis;
    vi.spyOn(globalThis, "fetch").mockImplementation((input, init) => {
      const { hostname, pathname } = new URL(input instanceof Request ? input.url : input);
      if (pathname.endsWith("/supported")) return fetch(input, init); // requested once per isolate
      const name = hostname.startsWith("facilitator") ? `facilitator ${pathname.split("/").at(-1)}` : "source fetch";
      return this.take(name, () => fetch(input, init));
    });
  }

  #each<B extends object>(kind: string, binding: B): B {
    return new Proxy(binding, {
      get: (_, method) =>
        method === "then"
          ? undefined
          : (...args: unknown[]) =>
              this.take(`${kind} ${String(method)}`, () =>
                (binding as Record<PropertyKey, (...args: unknown[]) => Promise<unknown>>)[method]!(...args),
              ),
    });
  }
}
