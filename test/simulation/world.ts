import { AsyncLocalStorage } from "node:async_hooks";
import { VirtualWorld } from "../payments/virtualWorld.ts";
import { type SellerTerms, TERMS } from "./addresses.ts";
import type { SimulatedResponse } from "./messages.ts";

/** The servers from which the Worker can fetch. */
interface Internet {
  answer(url: URL, body: string | undefined): Promise<SimulatedResponse>;
}

/**
 * The world of one schedule: the clock, the random numbers, the servers outside of the Worker, and the Worker's log.
 */
export class World extends VirtualWorld {
  /** Factor of all fault probabilities. It is 0 once the schedule is calm. */
  faultiness = 1;
  /** Number of faults that have occurred so far. */
  faults = 0;
  internet!: Internet;
  /** The seller's current price and account. */
  terms: SellerTerms = TERMS[0];
  /** Error of the deployment's clock in milliseconds. It is positive if the clock is ahead. */
  clockErrorMs = 0;
  readonly log: string[] = [];
  /** Errors that Durable Objects and the sweep have thrown. Not all of these errors reach a caller. */
  readonly thrown: Error[] = [];
  /** Number of calls and Durable Objects that have died. */
  deaths = 0;
  /** Random tokens of links, in the order in which they were created. */
  readonly tokens: string[] = [];

  /** The deployment's time in Unix milliseconds. Alarms, the bucket and the sweep use this time. */
  get deploymentNow(): number {
    return this.now + this.clockErrorMs;
  }

  /** Decides at random whether a fault occurs, and returns the decision. Counts the faults. */
  fails(probability: number): boolean {
    const fails = this.chance(probability * this.faultiness);
    if (fails) this.faults++;
    return fails;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }

  /**
   * Advances the clock like the method of the base class. Node settles all promises between two events. Scheduling 16
   * events at a time makes this faster.
   */
  override pass(ms: number): Promise<void> {
    const end = this.now + ms;
    let isOver = false;
    return new Promise((resolve, reject) => {
      const next = () => {
        if (isOver) return;
        try {
          isOver = !this.happen(end);
          if (isOver) resolve();
        } catch (error) {
          isOver = true;
          reject(error);
        }
      };
      const some = () => {
        for (let at = 0; at < 16; at++) setImmediate(next);
        if (!isOver) setImmediate(some);
      };
      setImmediate(some);
    });
  }
}

/** A unit of the Worker's code that can die: a call, or one life of a Durable Object. */
export class Execution {
  readonly world: World;
  /** Lead of the machine's clock in milliseconds. */
  readonly skewMs: number;
  isDead = false;
  /** Function that is called when the execution dies. */
  onDeath = () => {};
  /**
   * Returns the time in Unix milliseconds until which the execution's messages are held back. A Durable Object's
   * messages wait until its writes are durable.
   */
  heldUntil = () => 0;

  constructor(world: World, skewMs: number) {
    this.world = world;
    this.skewMs = skewMs;
  }

  die(): void {
    if (this.isDead) return;
    this.isDead = true;
    this.world.deaths++;
    this.onDeath();
  }
}

const executions = new AsyncLocalStorage<Execution | undefined>();

/** Runs code as part of an execution. The execution also includes all code that this code awaits. */
export function runAs<T>(execution: Execution | undefined, act: () => T): T {
  return executions.run(execution, act);
}

/** Returns the current execution, or undefined outside of the Worker. */
export function running(): Execution | undefined {
  return executions.getStore();
}

/** Creates a promise that never resolves. Each use gets a new promise, so that its waiters can be garbage-collected. */
export const never = () => new Promise<never>(() => {});

/** Probability that an execution dies while it waits for an external answer. */
const DEATH = 0.002;

/** Waits `ms` in the current execution. Never resolves if the execution has died or dies during the wait. */
export async function elapse(ms: number): Promise<void> {
  const execution = running()!;
  const { world } = execution;
  await world.sleep(ms);
  if (mayDie(execution)) await never();
}

/** Returns whether an execution has died. The execution may die during this call. */
export function mayDie(execution: Execution): boolean {
  if (!execution.isDead && execution.world.fails(DEATH)) execution.die();
  return execution.isDead;
}
