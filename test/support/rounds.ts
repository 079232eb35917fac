import { vi } from "vitest";

/**
 * Time in milliseconds without a new request after which all waiting requests are answered. Requests that the Worker
 * sends together arrive within this time.
 */
const QUIET_MS = 100;

/**
 * Counts the consecutive round trips of a Worker. Each request waits until the Worker sends no further request. Then
 * all waiting requests are answered together, as one round. The call needs as many consecutive round trips as there are
 * rounds before its answer.
 */
export class Rounds {
  /** The requests of each round, with names such as `ledger claim`. */
  readonly all: string[][] = [];
  #asked: string[] = [];
  #hasAsked = Promise.withResolvers<void>();
  #release = Promise.withResolvers<void>();
  #changedAt = 0;

  /** Answers requests in rounds until the Worker answers the call. Returns the rounds up to this answer. */
  async during(call: () => Promise<unknown>): Promise<string[][]> {
    let before: string[][] | undefined;
    const called = call().then(() => {
      before = this.all.slice();
    });
    while (!before) await this.#round(called);
    return before;
  }

  /** After the Worker has answered a call, answers its further requests in rounds until `done` settles. */
  async afterwards(done: Promise<unknown>): Promise<void> {
    let isDone = false;
    const ended = done.finally(() => {
      isDone = true;
    });
    while (!isDone) await this.#round(ended);
  }

  /** Waits for a request or for `end`. After a request, waits for further requests and then answers all of them. */
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

  /** Registers a request named `name`, and delays `act` until the current round is answered. */
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

  /** Returns bindings of a Worker that count the requests through them. */
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

  /** Also counts fetches, including those of the ledger, until vi.restoreAllMocks() is called. */
  fetching(): void {
    const { fetch } = globalThis;
    vi.spyOn(globalThis, "fetch").mockImplementation((input, init) => {
      const { hostname, pathname } = new URL(input instanceof Request ? input.url : input);
      if (pathname.endsWith("/supported")) return fetch(input, init); // the Worker requests this URL only once per isolate
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
