import type { ChannelRecord } from "../../src/payments/channels/channelRecord.ts";
import { TERMS } from "./addresses.ts";
import { SimulatedBucket } from "./bucket.ts";
import { Callers } from "./callers.ts";
import { Chain } from "./chain.ts";
import { ChannelContract } from "./channelContract.ts";
import { ChannelFacilitator } from "./channelFacilitator.ts";
import { ChannelPayers } from "./channelPayers.ts";
import { Facilitator } from "./facilitator.ts";
import { Internet } from "./internet.ts";
import { Machine } from "./machine.ts";

import { SimulatedNamespace } from "./namespace.ts";
import { buildScript, type ChannelHashes } from "./script.ts";
import { Service } from "./service.ts";
import { World } from "./world.ts";

const HOUR_MS = 3_600_000;
/** Maximum difference in either direction between the clocks of a machine and of the deployment, in milliseconds. */
export const MOST_SKEW_MS = 2000;
/** Error of the deployment's clock in either direction, in milliseconds, for schedules with a wrong clock. */
const CLOCK_ERROR_MS = 600_000;

/** The final state of a schedule. */
export interface Schedule {
  world: World;
  chain: Chain;
  bucket: SimulatedBucket;
  ledger: SimulatedNamespace;
  budgets: SimulatedNamespace;
  callers: Callers;
  channelPayers: ChannelPayers;
  /** Whether the Worker can ask a node of the chain in this schedule. */
  hasNode: boolean;
  /** Time in Unix milliseconds after which no faults occur. */
  calmAt: number;
  /** Keys in the bucket after all faults and calls have ended. */
  keptWhenCalm: readonly string[];
  /** The keys in `keptWhenCalm` that belong to the result of a payment or to an upload. */
  ownedWhenCalm: ReadonlySet<string>;
  /** Number of calls that still hold memory of the shared pools after all faults and calls have ended. */
  heldWhenCalm: number;
  /** Keys of the bucket's objects that a sweep should have deleted but did not. */
  unswept: string[];
}

/** Plays schedules on machines that all schedules share. */
export class Simulation {
  readonly #machines: readonly Machine[];

  constructor(machines: readonly Machine[]) {
    this.#machines = machines;
  }

  static async start(): Promise<Simulation> {
    const load = await buildScript();
    const machines = Array.from({ length: 2 }, () => new Machine(load()));
    for (const machine of machines) await machine.start(worldOf(0, true, machine.script).world);
    return new Simulation(machines);
  }

  /**
   * Plays the schedule of a seed. For some minutes, callers buy while faults occur and machines die. Then, in a calm
   * period, each order is repeated. At the end, all links and stored data expire.
   */
  async play(seed: number): Promise<Schedule> {
    const machines = this.#machines;
    const hasNode = seed % 2 === 0;
    const { world, chain, internet } = worldOf(seed, hasNode, machines[0]!.script);
    world.now += world.below(HOUR_MS);
    world.faultiness = world.pick([0, 0.5, 1, 2]);
    world.clockErrorMs = world.chance(0.1) ? world.pick([-CLOCK_ERROR_MS, CLOCK_ERROR_MS]) : 0;
    const bucket = new SimulatedBucket(world);
    const [ledger, budgets] = (["Ledger", "Budget"] as const).map(
      (name) =>
        new SimulatedNamespace(
          world,
          machines.map((machine) => ({
            clock: () => machine.skewMs,
            create: (context) => new machine.script[name](context as never, machine.env(hasNode)),
          })),
        ),
    ) as [SimulatedNamespace, SimulatedNamespace];
    for (const machine of machines)
      machine.begin(
        { RESULTS: bucket, LEDGER: ledger, BUDGETS: budgets },
        world.clockErrorMs + world.below(2 * MOST_SKEW_MS) - MOST_SKEW_MS,
      );
    const service = new Service(world, machines, hasNode);
    const callers = new Callers(world, chain, internet, service);
    const channelPayers = new ChannelPayers(world, chain.channels, service, callers.links);
    const unswept: string[] = [];
    this.#sweepEachHour(world, service, bucket, unswept);

    for (let buyers = world.chance(0.6) ? 1 : 2; buyers > 0; buyers--) void callers.buy();
    if (world.chance(0.2)) void callers.pester();
    if (world.chance(0.3)) {
      void channelPayers.buy();
      if (world.chance(0.5)) void channelPayers.pester();
    }
    world.later(world.below(60_000), () => world.fails(0.3) && service.killMachine());
    for (let deaths = world.below(4); deaths > 0; deaths--)
      world.later(world.below(60_000), () => world.fails(1) && ledger.killOne());
    if (world.chance(0.15)) world.later(world.below(90_000), () => changeTerms(world, machines, [ledger, budgets]));
    const by = world.chance(0.5) ? "another service" : "its cancellation";
    world.later(
      world.below(60_000),
      () => world.fails(0.2) && chain.payments.length > 0 && chain.consume(world.pick(chain.payments), by),
    );
    world.later(world.below(200_000), () => world.fails(0.5) && chain.moveSeen());
    await world.pass(200_000);

    world.faultiness = 0;
    const calmAt = world.now;
    do await world.pass(250_000);
    while (callers.buying > 0 || channelPayers.buying > 0);
    for (const order of callers.orders) void callers.askAgain(order);
    void channelPayers.askAgain();
    do
      await world.pass(460_000); // long enough for slow work that is planned twice
    while (channelPayers.buying > 0);
    const keptWhenCalm = [...bucket.objects.keys()];
    const ownedWhenCalm = new Set([...resultsIn(ledger), ...keysOfUploads(bucket)]);
    const heldWhenCalm = machines.reduce((sum, { script }) => sum + script.PAYERS_POOL.held.size, 0);

    for (const link of callers.links.all)
      for (let looks = world.below(3); looks > 0; looks--)
        world.later(world.below(1.5 * HOUR_MS), () => void callers.links.look(link));
    await world.pass(77 * HOUR_MS);
    const whenCalm = { calmAt, keptWhenCalm, ownedWhenCalm, heldWhenCalm };
    return { world, chain, bucket, ledger, budgets, callers, channelPayers, hasNode, unswept, ...whenCalm };
  }

  #sweepEachHour(world: World, service: Service, bucket: SimulatedBucket, unswept: string[]): void {
    const next = HOUR_MS - (world.deploymentNow % HOUR_MS) + 17 * 60_000;
    const run = async () => {
      const began = world.deploymentNow;
      const isDone = await service.sweep().catch((error: Error) => {
        world.thrown.push(error);
        return false;
      });
      if (isDone) unswept.push(...overdue(bucket.objects.keys(), began));
    };
    world.later(next, () => {
      if (bucket.objects.size > 0) void run();
      this.#sweepEachHour(world, service, bucket, unswept);
    });
  }
}

/** Deploys other settings, which kills all Durable Objects. Running calls keep the old settings. */
function changeTerms(world: World, machines: readonly Machine[], objects: readonly SimulatedNamespace[]): void {
  world.faults++; // a payment that was just signed no longer matches the terms
  world.terms = TERMS[1];
  for (const machine of machines) machine.changeTerms();
  for (const namespace of objects) namespace.killAll();
}

/** Returns the keys in the bucket that a sweep at the time `at` (Unix milliseconds) should have deleted. */
function overdue(keys: Iterable<string>, at: number): string[] {
  return [...keys].filter((key) => {
    const [prefix, hour] = key.split("/");
    return Number(hour) < Math.floor(at / HOUR_MS) - (prefix === "spool" ? 3 : 0);
  });
}

/** Returns the storage keys of all results that payments have bought or may still buy. */
function resultsIn({ objects }: SimulatedNamespace): string[] {
  return [...objects.values()].flatMap(({ kv }) => {
    const sold = [...kv].filter(([key]) => key.startsWith("sold:")).map(([, call]) => call);
    const pending = (kv.get("channel") as ChannelRecord | undefined)?.pending?.settling;
    return [kv.get("entry"), ...sold, pending && "sale" in pending && pending.sale].flatMap((paid) => {
      const { output } = (paid as { work?: { output: string } } | undefined)?.work ?? {};
      return output === undefined ? [] : `results/${output.slice(0, 6)}/${output}`;
    });
  });
}

/** Returns the storage keys of all uploads, and of their files and parts. */
function keysOfUploads({ objects }: SimulatedBucket): string[] {
  return [...objects.values()].flatMap(({ key, bytes }) => {
    if (!/^uploads\/\d+\/\d+-[0-9a-f]{32}$/.test(key)) return [];
    const { file } = JSON.parse(new TextDecoder().decode(bytes));
    const parts = [...objects.keys()].filter((other) => other.startsWith(`${key}-part`));
    return [key, file?.key, ...parts];
  });
}

/** Creates the world of a schedule, with the simulated servers outside of the Worker. */
function worldOf(seed: number, hasNode: boolean, hashes: ChannelHashes) {
  const world = new World(seed);
  const chain = new Chain(world, new ChannelContract(world, hashes));
  const facilitator = new Facilitator(world, chain, hasNode);
  const internet = new Internet(world, chain, facilitator, new ChannelFacilitator(world, chain.channels));
  world.internet = internet;
  return { world, chain, internet };
}
