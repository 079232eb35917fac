import { AsyncLocalStorage } from "node:async_hooks";
import { VirtualWorld } from "../payments/virtualWorld.ts";
import type { SimulatedResponse } from "./messages.ts";

/** What the Worker finds at the addresses that it fetches. */
interface Internet {
  answer(url: URL, body: string | undefined): Promise<SimulatedResponse>;
}

/** The world of one schedule: its clock and chance, what is outside the Worker, and what it has written to its log. */
export class World extends VirtualWorld {
  /** How likely faults are, to multiply their chances with; 0 once the schedule is calm. */
  faultiness = 1;
  /** How many things have gone wrong, or were let go wrong. */
  faults = 0;
  internet!: Internet;
  readonly log: string[] = [];
  /** What objects and the sweep have thrown: not all of it is told to anybody. */
  readonly thrown: Error[] = [];
  /** How many calls and objects have died. */
  deaths = 0;
  /** Tokens of links, as they were drawn. */
  readonly tokens: string[] = [];

  /** Whether something goes wrong. */
  fails(probability: number): boolean {
    const fails = this.chance(probability * this.faultiness);
    if (fails) this.faults++;
    return fails;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }

  /** Between two things, Node lets all go on that promises have to do: a few are asked for at a time, which is faster. */
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

/** Who runs code of the Worker: a call of it, or one life of a Durable Object. */
export class Execution {
  readonly world: World;
  /** How far its machine's clock is ahead. */
  readonly skewMs: number;
  isDead = false;
  /** Called when it dies. */
  onDeath = () => {};
  /** Until then (Unix milliseconds), what it sends is held back: an object's, while what it has written is not safe. */
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

/** Runs code as an execution; what it awaits goes on as the same. */
export function runAs<T>(execution: Execution | undefined, act: () => T): T {
  return executions.run(execution, act);
}

/** Returns who runs this; undefined for the outside. */
export function running(): Execution | undefined {
  return executions.getStore();
}

/** A promise of its own each time: what waits for it can be forgotten. */
export const never = () => new Promise<never>(() => {});

/** How often an execution dies where it waits for something outside. */
const DEATH = 0.002;

/** Lets `ms` pass for the execution that runs this. One that has died, or dies here, never goes on. */
export async function elapse(ms: number): Promise<void> {
  const execution = running()!;
  const { world } = execution;
  await world.sleep(ms);
  if (mayDie(execution)) await never();
}

/** Returns whether an execution has died, or dies now. */
export function mayDie(execution: Execution): boolean {
  if (!execution.isDead && execution.world.fails(DEATH)) execution.die();
  return execution.isDead;
}
