/** The Worker for the benchmark of latency. Its ledger, allowances and R2 answer as slowly as they do at the edge. */
import { app } from "../src/app.ts";
import { DELAYS } from "./delays.ts";

export { Ledger } from "../src/service/account/ledger.ts";
// wrangler.toml binds these classes, so the Worker must export them
export { Budget } from "../src/service/limits/quota.ts";

let isFar = true;

/** Returns a copy of a binding whose methods answer `ms` milliseconds later. */
function far<B extends object>(binding: B, ms: number): B {
  return new Proxy(binding, {
    get: (_, method) =>
      method === "then"
        ? undefined
        : async (...args: unknown[]) => {
            if (isFar) await scheduler.wait(ms);
            return (binding as Record<PropertyKey, (...args: unknown[]) => unknown>)[method]!(...args);
          },
  });
}

function objects<N extends { getByName(name: string): object }>(namespace: N, ms: number): N {
  return { getByName: (name: string) => far(namespace.getByName(name), ms) } as N;
}

export default {
  async fetch(request, env, context) {
    const { pathname } = new URL(request.url);
    if (pathname === "/far" || pathname === "/near") {
      isFar = pathname === "/far";
      return new Response();
    }
    const LEDGER = objects(env.LEDGER, DELAYS.ledger);
    const BUDGETS = objects(env.BUDGETS, DELAYS.budget);
    return app.fetch(request, { ...env, LEDGER, BUDGETS, RESULTS: far(env.RESULTS, DELAYS.R2) }, context);
  },
} satisfies ExportedHandler<Env>;
