import { vi } from "vitest";

/** So long nothing has to have been asked for until what was is answered: what can be asked for together, is by then. */
const QUIET_MS = 100;

/**
 * The world of a Worker, which answers in rounds: whatever has been asked for waits until nothing more is, and is done
 * then, all together. So the rounds before a call's answer are the round trips that it waits for, one after another.
 */
export class Rounds {
  /** What each round had: names such as `ledger claim`. */
  readonly all: string[][] = [];
  #asked: string[] = [];
  #hasAsked = Promise.withResolvers<void>();
  #release = Promise.withResolvers<void>();
  #changedAt = 0;

  /** Answers until the call has been answered, and returns with the rounds before that. */
  async during(call: () => Promise<unknown>): Promise<string[][]> {
    let before: string[][] | undefined;
    const called = call().then(() => {
      before = this.all.slice();
    });
    while (!before) await this.#round(called);
    return before;
  }

  /** Answers what is asked for after the answer. */
  async afterwards(done: Promise<unknown>): Promise<void> {
    let isDone = false;
    const ended = done.finally(() => {
      isDone = true;
    });
    while (!isDone) await this.#round(ended);
  }

  /** Waits for something to be asked for, or for the end, if that comes first; then for more, and answers all of it. */
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

  /** Does something in the next round. */
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

  /** The bindings of a Worker, in this world. */
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

  /** Has what is fetched, too, in this world, also what the ledger fetches. Undone by vi.restoreAllMocks. */
  fetching(): void {
    const { fetch } = globalThis;
    vi.spyOn(globalThis, "fetch").mockImplementation((input, init) => {
      const { hostname, pathname } = new URL(input instanceof Request ? input.url : input);
      if (pathname.endsWith("/supported")) return fetch(input, init); // asked once by an isolate
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
