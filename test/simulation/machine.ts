import { CHANNEL_PAYERS, CLIENT, FACILITATOR, NODE, ORIGIN, PAYERS, TERMS } from "./addresses.ts";
import type { SimulatedBucket } from "./bucket.ts";
import { SimulatedHeaders } from "./messages.ts";
import type { SimulatedNamespace } from "./namespace.ts";
import type { Script } from "./script.ts";
import { Execution, runAs, type World } from "./world.ts";

/**
 * Start time of the machines in Unix milliseconds. It is later than all schedules, so that the facilitator's cached
 * answers never expire.
 */
const START = 4_000_000_000_000;

/** Length of the parts of uploads. Many files of the simulation are longer. */
const PART_BYTES = 60;

/** The bindings of the Worker in one schedule. */
interface Bindings {
  RESULTS: SimulatedBucket;
  LEDGER: SimulatedNamespace;
  BUDGETS: SimulatedNamespace;
}

/**
 * A machine that runs the Worker. Its copy of the script shares no memory with other machines. Its clock may be wrong.
 */
export class Machine {
  readonly script: Script;
  skewMs = 0;
  /** The Worker's environments: one for each of the seller's terms, with and without a node. */
  readonly #envs: readonly { terms: number; hasNode: boolean; env: Env }[];
  /** Index of the seller's current terms in {@link TERMS}. */
  #terms = 0;
  #bindings: Partial<Bindings> = {};

  constructor(script: Script) {
    this.script = script;
    Object.assign(script.UPLOADS, { partBytes: PART_BYTES });
    this.#envs = TERMS.flatMap(({ payTo, amount }, terms) =>
      [false, true].map((hasNode) => {
        const settings = { PAY_TO: payTo, PRICE: String(Number(amount) / 1e6), ...(hasNode && { RPC_URL: NODE }) };
        return { terms, hasNode, env: this.#envWith(settings) };
      }),
    );
  }

  env(hasNode: boolean): Env {
    return this.#envs.find((one) => one.terms === this.#terms && one.hasNode === hasNode)!.env;
  }

  /** Changes the seller's terms for all later calls and Durable Objects. */
  changeTerms(): void {
    this.#terms = 1;
  }

  /** Reads the settings, and asks the facilitator which kinds of payment it settles. */
  async start(world: World): Promise<void> {
    const { configOf, settledConfig } = this.script;
    world.now = START;
    world.faultiness = 0;
    for (const { env } of this.#envs) {
      const asked = runAs(new Execution(world, 0), () => settledConfig(configOf(env)));
      await world.pass(1);
      await asked;
    }
  }

  /** Begins a schedule, and clears the memory of earlier schedules. */
  begin(bindings: Bindings, skewMs: number): void {
    const { PAYERS_POOL, SENDERS_POOL, LargeFileSlot, forgiveRefusals, forgiveUnused } = this.script;
    this.#bindings = bindings;
    this.skewMs = skewMs;
    this.#terms = 0;
    PAYERS_POOL.held.clear();
    SENDERS_POOL.held.clear();
    const slot = new LargeFileSlot(1, 0);
    // Outside of an execution, the time is later than any expiry. This call therefore frees the large-file slots that
    // calls of earlier schedules still hold.
    void slot.acquire();
    slot.release();
    forgiveRefusals({ url: ORIGIN, headers: new SimulatedHeaders(CLIENT) } as object as Request);
    for (const payer of [...PAYERS, ...CHANNEL_PAYERS]) forgiveUnused(`payer:${payer}`);
  }

  #envWith(settings: Record<string, string>): Env {
    const bindings = () => this.#bindings;
    const unlimited = { limit: async () => ({ success: true }) };
    const env = {
      FACILITATOR_URL: FACILITATOR,
      NETWORKS: "base-sepolia",
      LINK_TTL_SECONDS: "1800",
      SPOOL_THRESHOLD_BYTES: "200",
      CHANNEL_KEY: `0x${"c1".repeat(32)}`,
      CHANNEL_MIN_DEPOSIT_CALLS: "3",
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
