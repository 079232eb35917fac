import { CHANNEL_PAYERS } from "./addresses.ts";
import { ChannelClient, type Holder } from "./channelClient.ts";
import type { ChannelContract } from "./channelContract.ts";
import { DAMAGED } from "./engine.ts";
import type { Content, Link, Links } from "./links.ts";
import { signIn } from "./payer.ts";
import type { Answer, Mishap, Service } from "./service.ts";
import type { World } from "./world.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

const HOUR_MS = 3_600_000;

/** An order of a payer with a payment channel, and the answers to its calls. */
export interface ChannelOrder extends Content {
  isDamaged: boolean;
  key: string | undefined;
  client: ChannelClient;
  answers: ChannelHeard[];
  /** Time of the order's first call in Unix milliseconds. */
  firstAt: number;
}

/** The outcome of one call in a channel, as the caller sees it. */
export interface ChannelHeard {
  at: number;
  /** Id of the channel. */
  channelId: string;
  /** HTTP status of the answer, or 0 if no answer arrived. */
  status: number;
  /** The problem code of the answer, or the reason of a 402. */
  code: string;
  link: Link | undefined;
  isFinal: boolean;
  /** Whether no simulated fault has occurred since the first call of the channel's clients. */
  isUndisturbed: boolean;
}

/** Payers who pay through payment channels, and strangers who have read public vouchers from the chain. */
export class ChannelPayers {
  readonly orders: ChannelOrder[] = [];
  readonly clients: ChannelClient[] = [];
  /** The HTTP status codes that strangers have received. */
  readonly strangers: number[] = [];
  /** The outcomes of refund requests: the HTTP status, and the reason of a 402. */
  readonly refunds: string[] = [];
  /** Ids of the channels whose payer requests a withdrawal. */
  readonly withdrawing = new Set<string>();
  /** Number of payers who are still trying to get their results. */
  buying = 0;
  readonly #world: World;
  readonly #contract: ChannelContract;
  readonly #service: Service;
  readonly #links: Links;

  constructor(world: World, contract: ChannelContract, service: Service, links: Links) {
    this.#world = world;
    this.#contract = contract;
    this.#service = service;
    this.#links = links;
  }

  /**
   * Simulates a payer with one payment channel, who makes some orders. Two clients of the payer may use the channel in
   * parallel.
   */
  async buy(): Promise<void> {
    const world = this.#world;
    const holder: Holder = {
      payer: world.pick(CHANNEL_PAYERS),
      salt: `0x${String(this.clients.length).padStart(64, "0")}`,
      signedMax: new Map(),
      faultsBefore: world.faults,
    };
    this.buying++;
    const hands = world.chance(0.3) ? 2 : 1;
    if (world.chance(0.25)) this.#withdrawAt(holder, world.below(world.chance(0.5) ? 200_000 : 30 * HOUR_MS));
    await Promise.all(
      Array.from({ length: hands }, () => this.#work(new ChannelClient(holder, world, this.#contract))),
    );
    this.buying--;
    for (let late = world.below(3); late > 0; late--)
      world.later(HOUR_MS + world.below(40 * HOUR_MS), () => {
        const client = world.pick(this.clients.filter((one) => one.holder === holder));
        void this.#finally(this.#order(client));
      });
  }

  /** Repeats all orders while no faults occur, and the orders of one channel one after the other. */
  async askAgain(): Promise<void> {
    const groups = Map.groupBy(this.orders, ({ client }) => client.holder);
    const repeat = async (orders: ChannelOrder[]) => {
      for (const order of orders) await this.#finally(order);
    };
    this.buying++;
    await Promise.all([...groups.values()].map(repeat));
    this.buying--;
  }

  /** Simulates a stranger who sends a public voucher, and then the voucher that the answer contains. */
  async pester(): Promise<void> {
    const world = this.#world;
    await world.sleep(world.below(200_000));
    const order = this.orders.find(({ answers }) => answers.some(({ link }) => link));
    const shown = order && this.#contract.publicVouchers.get(order.answers.find(({ link }) => link)!.channelId);
    if (!order || !shown) return;
    const sent = JSON.parse(atob(order.client.pay()));
    for (let { max, signature } = shown, attempts = 2; attempts > 0; attempts--) {
      const { channelConfig, voucher } = sent.payload;
      const stolen = { ...voucher, maxClaimableAmount: max, signature };
      const payload = { type: "voucher", channelConfig, voucher: stolen };
      const request = this.#request({ ...order, key: undefined }, btoa(JSON.stringify({ ...sent, payload })));
      const answer = await this.#service.send(request);
      if (!answer) return;
      this.strangers.push(answer.status);
      if (answer.status !== 402) return;
      const { accepts } = JSON.parse(atob(answer.headers.get("PAYMENT-REQUIRED")!));
      const { voucherState } = accepts.find(({ scheme }: { scheme: string }) => scheme === "batch-settlement")!.extra;
      if (!voucherState) return;
      [max, signature] = [voucherState.signedMaxClaimable, voucherState.signature];
    }
  }

  async #work(client: ChannelClient): Promise<void> {
    const world = this.#world;
    this.clients.push(client);
    for (let orders = 1 + world.below(3); orders > 0; orders--) {
      await world.sleep(world.below(20_000));
      const insisting = [this.#insist(this.#order(client))];
      if (world.chance(0.1)) insisting.push(this.#insist(this.#order(client)));
      await Promise.all(insisting);
    }
    if (world.chance(0.25)) await this.#refund(client);
  }

  #order(client: ChannelClient): ChannelOrder {
    const world = this.#world;
    const number = this.orders.length;
    const earlier = world.chance(0.15) && this.orders.find((one) => one.client.holder === client.holder && !one.key);
    const isDamaged = world.chance(0.05);
    const file = encoder.encode(`${isDamaged ? DAMAGED : "%PDF-1.7"} ${number} ${"-".repeat(30 + world.below(50))}`);
    const order: ChannelOrder = {
      ...{ text: `CHANNEL ORDER ${number}`, file, isDamaged },
      key: world.chance(0.4) ? `channel key of order ${number}, ${world.below(1e9)}` : undefined,
      ...(earlier && { text: earlier.text, file: earlier.file, isDamaged: earlier.isDamaged, key: undefined }),
      ...{ client, answers: [], firstAt: world.now },
    };
    this.orders.push(order);
    return order;
  }

  async #insist(order: ChannelOrder): Promise<void> {
    const world = this.#world;
    for (let attempts = 1 + world.below(3); attempts > 0; attempts--) {
      const goneAfter = world.fails(0.15) ? world.below(5000) : undefined;
      const heard = await this.#call(order, goneAfter === undefined ? {} : { goneAfter });
      if (heard.link) return this.#links.use(heard.link);
      await world.sleep(world.below(20_000));
    }
  }

  /** Repeats an order. Waits while the channel is blocked by a transaction or by the reservation of a dead call. */
  async #finally(order: ChannelOrder): Promise<void> {
    for (let waits = 15; waits > 0; waits--) {
      const { code } = await this.#call(order, {}, true);
      if (code !== "payment_in_progress" && code !== "settlement_pending") return;
      order.answers.pop();
      await this.#world.sleep(30_000);
    }
    await this.#call(order, {}, true);
  }

  async #call(order: ChannelOrder, mishap: Mishap, isFinal = false): Promise<ChannelHeard> {
    const world = this.#world;
    const { client } = order;
    const signs = isFinal ? { "SIGN-IN-WITH-X": signIn(client.holder.payer, world) } : {};
    const hear = (answer: Answer | undefined, channelId: string): ChannelHeard => {
      const json = answer ? JSON.parse(decoder.decode(answer.bytes)) : {};
      const link = answer?.status === 200 ? this.#links.in(json.output, order) : undefined;
      const code = answer?.status === 402 ? reasonIn(answer) : (json.code ?? "");
      const isUndisturbed = world.faults === client.holder.faultsBefore;
      const heard = { at: world.now, channelId, status: answer?.status ?? 0, code, link, isFinal, isUndisturbed };
      order.answers.push(heard);
      return heard;
    };
    if (client.needsTerms || isFinal) {
      const asked = await this.#service.send(this.#request(order));
      if (asked?.status !== 402) return hear(undefined, "");
      client.readTerms(asked.headers);
    }
    for (let attempts = 2; ; attempts--) {
      const sent = client.pay();
      const { channelId } = client;
      const request = this.#request(order, sent, signs);
      const copies = !isFinal && world.chance(0.15) ? 1 + world.below(2) : 0;
      const sendCopy = async () => {
        await world.sleep(world.chance(0.5) ? 0 : world.below(5000));
        hear(await this.#service.send(request), channelId);
      };
      const copied = Array.from({ length: copies }, sendCopy);
      const answer = await this.#service.send(request, mishap);
      if (answer?.status === 200) client.readReceipt(answer.headers, sent);
      const isCorrected = answer?.status === 402 && client.correct(answer.headers);
      await Promise.all(copied);
      if (isCorrected && attempts > 1) continue;
      if (answer?.status === 402 && !isCorrected) client.needsTerms = true;
      return hear(answer, channelId);
    }
  }

  async #refund(client: ChannelClient): Promise<void> {
    for (let attempts = 2; attempts > 0; attempts--) {
      const sent = client.needsTerms ? undefined : client.refund();
      if (sent === undefined) return;
      const request = { method: "GET", path: "/v1/channel", headers: { "PAYMENT-SIGNATURE": sent } };
      const answer = await this.#service.send(request);
      this.refunds.push(answer?.status === 402 ? `402 ${reasonIn(answer)}` : String(answer?.status ?? 0));
      if (answer?.status === 200) client.readReceipt(answer.headers, sent);
      if (answer?.status !== 402 || !client.correct(answer.headers)) return;
    }
  }

  /** Requests a withdrawal after `ms`, and withdraws the money as soon as the contract allows it. */
  #withdrawAt(holder: Holder, ms: number): void {
    const world = this.#world;
    world.later(ms, () => {
      for (const channelId of holder.signedMax.keys()) {
        this.withdrawing.add(channelId);
        this.#contract.requestWithdrawal(channelId);
        world.later(24 * HOUR_MS + 1000, () => void this.#contract.withdraw(channelId));
      }
    });
  }

  #request({ text, file, key }: ChannelOrder, payment?: string, signs: Record<string, string> = {}) {
    const headers: Record<string, string> = { "Content-Type": "application/json", ...signs };
    if (key !== undefined) headers["Idempotency-Key"] = key;
    if (payment !== undefined) headers["PAYMENT-SIGNATURE"] = payment;
    const source = `data:application/pdf;base64,${btoa(decoder.decode(file))}`;
    const body = encoder.encode(JSON.stringify({ file: source, text }));
    return { method: "POST", path: "/v1/watermark/text", headers, body };
  }
}

function reasonIn({ headers }: Answer): string {
  return JSON.parse(atob(headers.get("PAYMENT-REQUIRED")!)).error;
}
