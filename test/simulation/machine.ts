import { CLIENT, FACILITATOR, NODE, ORIGIN, PAY_TO, PAYERS } from "./addresses.ts";
import type { SimulatedBucket } from "./bucket.ts";
import { SimulatedHeaders } from "./messages.ts";
import type { SimulatedNamespace } from "./namespace.ts";
import { buildScript, type Script } from "./script.ts";
import { Execution, runAs, type World } from "./world.ts";

/** When machines start (Unix milliseconds): long after all schedules, for which what they have asked is fresh then. */
const START = 4_000_000_000_000;

/** What a Worker is bound to in one schedule. */
interface Bindings {
  RESULTS: SimulatedBucket;
  LEDGER: SimulatedNamespace;
  BUDGETS: SimulatedNamespace;
}

/** One of the machines that run the Worker: its script has a memory of its own, and its clock may be wrong. */
export class Machine {
  readonly script: Script;
  skewMs = 0;
  /** With a node of the chain to ask, and without. */
  readonly #envs: readonly [Env, Env];
  #bindings: Partial<Bindings> = {};

  constructor(script: Script) {
    this.script = script;
    this.#envs = [this.#envWith({}), this.#envWith({ RPC_URL: NODE })];
  }

  env(hasNode: boolean): Env {
    return this.#envs[hasNode ? 1 : 0];
  }

  /** Reads the settings, and asks the facilitator what it settles. */
  async start(world: World): Promise<void> {
    const { configOf, settledConfig } = this.script;
    world.now = START;
    world.faultiness = 0;
    for (const env of this.#envs) {
      const asked = runAs(new Execution(world, 0), () => settledConfig(configOf(env)));
      await world.pass(1);
      await asked;
    }
  }

  /** Begins a schedule, with nothing in memory of those before. */
  begin(bindings: Bindings, skewMs: number): void {
    const { PAYERS_POOL, SENDERS_POOL, LargeFileSlot, forgiveRefusals, forgiveVain } = this.script;
    this.#bindings = bindings;
    this.skewMs = skewMs;
    PAYERS_POOL.held.clear();
    SENDERS_POOL.held.clear();
    const slot = new LargeFileSlot(1, 0);
    void slot.acquire(); // when nobody runs, it is later than any other has it
    slot.release();
    forgiveRefusals({ url: ORIGIN, headers: new SimulatedHeaders(CLIENT) } as object as Request);
    for (const payer of PAYERS) forgiveVain(`payer:${payer}`);
  }

  #envWith(settings: Record<string, string>): Env {
    const bindings = () => this.#bindings;
    const unlimited = { limit: async () => ({ success: true }) };
    const env = {
      PAY_TO,
      FACILITATOR_URL: FACILITATOR,
      NETWORKS: "base-sepolia",
      LINK_TTL_SECONDS: "1800",
      SPOOL_THRESHOLD_BYTES: "200",
      ...settings,
      ASSETS: {},
      UNPAID_CALLS: unlimited,
      WRONG_TOKENS: unlimited,
      get RESULTS() {
        return bindings().RESULTS;
      },
      get LEDGER() {
        return bindings().LEDGER;
      },
      get BUDGETS() {
        return bindings().BUDGETS;
      },
    };
    return env as unknown as Env;
  }
}

/** Starts so many machines. */
export async function startMachines(count: number, world: World): Promise<Machine[]> {
  const load = await buildScript();
  const machines = Array.from({ length: count }, () => new Machine(load()));
  for (const machine of machines) await machine.start(world);
  return machines;
}
