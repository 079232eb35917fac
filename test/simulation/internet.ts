import { FACILITATOR, type FILES, NODE } from "./addresses.ts";
import type { Chain } from "./chain.ts";
import type { ChannelFacilitator } from "./channelFacilitator.ts";
import { type Facilitator, SUPPORTED } from "./facilitator.ts";
import { SimulatedResponse as Response } from "./messages.ts";
import { ByteStream } from "./streams.ts";
import { never, type World } from "./world.ts";

/** The servers from which the Worker can fetch. */
export class Internet {
  readonly #world: World;
  readonly #chain: Chain;
  readonly #facilitator: Facilitator;
  readonly #channels: ChannelFacilitator;
  /** Files by URL. All URLs begin with {@link FILES}. */
  readonly files = new Map<string, Uint8Array>();

  constructor(world: World, chain: Chain, facilitator: Facilitator, channels: ChannelFacilitator) {
    this.#world = world;
    this.#chain = chain;
    this.#facilitator = facilitator;
    this.#channels = channels;
  }

  async answer({ href, origin, pathname }: URL, body: string | undefined): Promise<Response> {
    switch (origin) {
      case FACILITATOR:
        return this.#ask(pathname, body);
      case NODE:
        return this.#askNode(JSON.parse(body!));
      default:
        return this.#serve(href);
    }
  }

  async #ask(path: string, body: string | undefined): Promise<Response> {
    if (body === undefined) return Response.json(SUPPORTED);
    const ofChannel = this.#channels.answer(path, body);
    if (ofChannel) return ofChannel;
    const [, signature] = /"signature":"(\w+)"/.exec(body)!;
    const [, nonce] = /"nonce":"(\w+)"/.exec(body)!;
    const payment = this.#chain.withNonce(nonce!);
    return path === "/settle" ? this.#facilitator.settle(payment) : this.#facilitator.verify(payment, signature!);
  }

  async #askNode({ method, params }: { method: string; params: [never, never] }): Promise<Response> {
    const world = this.#world;
    await world.sleep(world.below(100));
    if (world.fails(0.05)) return world.chance(0.5) ? new Response("", { status: 502 }) : never();
    return Response.json({ jsonrpc: "2.0", id: 1, result: this.#chain.rpc(method, params) });
  }

  /** Serves a file in pieces, as a caller's server does. The answer may be slow, incomplete, or missing. */
  async #serve(href: string): Promise<Response> {
    const world = this.#world;
    await world.sleep(world.below(500));
    const bytes = this.files.get(href.split("?")[0]!);
    if (!bytes || world.fails(0.05)) return new Response("", { status: 404 });
    if (world.fails(0.03)) return never();
    const half = world.fails(0.2) ? 1 + world.below(bytes.length) : bytes.length;
    const isCut = half < bytes.length && world.chance(0.5);
    let sent = 0;
    const body = new ByteStream(async () => {
      if (sent > 0 && sent < bytes.length) await world.sleep(world.below(10_000));
      if (sent > 0 && isCut) throw new TypeError("Network connection lost.");
      const piece = bytes.slice(sent, sent === 0 ? half : bytes.length);
      sent += piece.length;
      return piece.length > 0 ? piece : undefined;
    });
    return new Response(body, { headers: { "Content-Length": String(bytes.length) } });
  }
}
