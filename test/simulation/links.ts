import type { Service } from "./service.ts";
import type { World } from "./world.ts";

const decoder = new TextDecoder();

/** The part of an order that determines the result. */
export interface Content {
  text: string;
  file: Uint8Array;
}

/** A link to a result. Its times are simulated Unix milliseconds. */
export interface Link {
  path: string;
  order: Content;
  expires: number;
  /** Time when the link's holder requested the revocation. */
  ending: number | undefined;
  /** Time when the service confirmed the revocation. */
  ended: number | undefined;
  looks: Look[];
}

/** The outcome of one request to a link. */
interface Look {
  at: number;
  status: number;
  isRight: boolean;
}

/** The links that callers have received. Their holders request and revoke them. */
export class Links {
  readonly #links = new Map<string, Link>();
  readonly #world: World;
  readonly #service: Service;

  constructor(world: World, service: Service) {
    this.#world = world;
    this.#service = service;
  }

  get all(): Link[] {
    return [...this.#links.values()];
  }

  /** Returns the link in an answer. Stores the link if it is new. */
  in({ url, expires_at }: { url: string; expires_at: string }, order: Content): Link {
    const { pathname, search } = new URL(url);
    const path = pathname + search;
    const link = this.#links.get(path) ?? {
      path,
      order,
      expires: Date.parse(expires_at) - this.#world.clockErrorMs,
      looks: [],
      ending: undefined,
      ended: undefined,
    };
    this.#links.set(path, link);
    return link;
  }

  /** Requests a link, revokes it, or does both, at random. */
  async use(link: Link): Promise<void> {
    const world = this.#world;
    if (world.chance(0.5)) await this.look(link);
    if (world.chance(0.2)) {
      await world.sleep(world.below(10_000));
      await this.#end(link);
      await this.look(link);
    }
  }

  /** Requests a link and records the answer. */
  async look(link: Link): Promise<void> {
    const { order, looks, path } = link;
    const at = this.#world.now;
    const answer = await this.#service.send({ method: "GET", path });
    if (!answer) return;
    const wanted = `${order.text}:${decoder.decode(order.file)}`;
    looks.push({ at, status: answer.status, isRight: decoder.decode(answer.bytes) === wanted });
  }

  /** Revokes a link before the link expires. */
  async #end(link: Link): Promise<void> {
    link.ending ??= this.#world.now;
    const answer = await this.#service.send({ method: "DELETE", path: link.path });
    if (answer?.status === 204) link.ended ??= this.#world.now;
  }
}
