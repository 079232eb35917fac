import { cloned, type Instance, SimulatedObject } from "./durableObject.ts";
import { Execution, mayDie, runAs, running, type World } from "./world.ts";

/** Maximum number of retries of a failed alarm. */
const ALARM_RETRIES = 6;

/**
 * A machine that can host Durable Objects. `create` returns a new instance of an object. `clock` returns by how many
 * milliseconds the machine's clock is ahead of the simulated time.
 */
export interface Host {
  create(context: unknown): object;
  clock(): number;
}

/**
 * The Durable Objects of one class. An object can run on any machine. Messages take time, during which the sender or
 * the object can die.
 */
export class SimulatedNamespace {
  readonly objects = new Map<string, SimulatedObject>();
  /** Number of calls that were lost before they reached an object. */
  failures = 0;
  readonly #world: World;
  readonly #hosts: readonly Host[];

  constructor(world: World, hosts: readonly Host[]) {
    this.#world = world;
    this.#hosts = hosts;
  }

  getByName(name: string): Record<string, (...args: unknown[]) => Promise<unknown>> {
    const line = { deliveredAt: 0 };
    return new Proxy(
      {},
      {
        get:
          (_, method: string) =>
          (...args: unknown[]) =>
            this.#call(name, method, cloned(args), line),
      },
    );
  }

  /** Kills all Durable Objects, as a new deployment does. */
  killAll(): void {
    for (const object of this.objects.values()) object.die();
  }

  /** Kills a random Durable Object. */
  killOne(): void {
    const alive = [...this.objects.values()].filter(({ life }) => life);
    if (alive.length > 0) this.#world.pick(alive).die();
  }

  #find(name: string): SimulatedObject {
    let object = this.objects.get(name);
    if (!object) {
      object = new SimulatedObject(name, this.#world);
      const found = object;
      object.ring = (failures) => this.#ring(found, failures);
      this.objects.set(name, object);
    }
    return object;
  }

  #wake(object: SimulatedObject) {
    if (object.life) return object.life;
    const host = this.#world.pick(this.#hosts);
    const execution = new Execution(this.#world, host.clock());
    execution.heldUntil = () => object.flushedAt;
    execution.onDeath = () => object.die();
    const context = { storage: object.storageFor(execution), id: { name: object.name } };
    const instance = runAs(execution, () => host.create(context)) as Instance;
    object.life = { execution, instance, cut: new Set() };
    return object.life;
  }

  /**
   * Calls a method of a Durable Object and returns the result.
   * @param line simulated time in milliseconds of the latest delivery through the caller's stub. Calls of one stub are
   * delivered in the order in which they were sent
   */
  #call(name: string, method: string, args: unknown[], line: { deliveredAt: number }): Promise<unknown> {
    const world = this.#world;
    const caller = running()!;
    const held = Math.max(0, caller.heldUntil() - world.now);
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const isGone = () => mayDie(caller);
    line.deliveredAt = Math.max(line.deliveredAt + 1, world.now + held + world.below(30));
    world.later(line.deliveredAt - world.now, () => {
      if (isGone()) return;
      if (world.fails(0.01)) {
        this.failures++;
        return reject(new Error("Network connection lost."));
      }
      const object = this.#find(name);
      const { execution, instance, cut } = this.#wake(object);
      const ifAlive = (act: () => void) => () => {
        if (!isGone()) act();
      };
      const cutOff = (error: Error) =>
        world.later(
          world.below(30),
          ifAlive(() => reject(error)),
        );
      cut.add(cutOff);
      if (world.fails(0.01)) world.later(world.below(30), () => object.die());
      const answer = (act: () => void) => {
        if (execution.isDead) return;
        const flush = object.flushedAt - world.now;
        const send = () => {
          if (execution.isDead) return;
          cut.delete(cutOff);
          world.later(world.below(30), ifAlive(act));
        };
        if (flush > 0) world.later(flush, send);
        else send();
      };
      const run = async () => (instance[method] as (...args: unknown[]) => unknown).apply(instance, args);
      void runAs(execution, run).then(
        (value) => answer(() => resolve(cloned(value))),
        (error: Error) => {
          if (execution.isDead) return;
          world.thrown.push(error);
          answer(() => reject(new Error(error.message)));
        },
      );
    });
    return promise;
  }

  #ring(object: SimulatedObject, failures: number): void {
    const world = this.#world;
    const { execution, instance, cut } = this.#wake(object);
    const again = () => {
      cut.delete(again);
      if (failures < ALARM_RETRIES && object.alarmAt === undefined)
        world.later(2000 * 2 ** failures, () => object.alarmAt === undefined && object.ring(failures + 1));
    };
    cut.add(again); // The alarm runs again if the object dies before all writes of the alarm are durable.
    void runAs(execution, async () => instance.alarm?.()).then(
      () => world.later(Math.max(0, object.flushedAt - world.now), () => cut.delete(again)),
      (error: Error) => {
        if (execution.isDead) return;
        world.thrown.push(error);
        again();
      },
    );
  }
}
