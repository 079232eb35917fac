import { createHash } from "node:crypto";
import { FILES, PAYERS } from "./addresses.ts";
import type { Chain, Payment } from "./chain.ts";
import { DAMAGED } from "./engine.ts";
import type { Internet } from "./internet.ts";
import { type Link, Links } from "./links.ts";
import { sign, signIn } from "./payer.ts";
import type { Answer, Mishap, Service } from "./service.ts";
import type { World } from "./world.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Minimum remaining validity of a payment that is sent, in milliseconds. It includes the duration of a quick call. */
const NEEDED_VALIDITY_MS = 60_000;

/** The way in which an order sends its file. */
type Way = "data URI" | "body" | "form" | "URL" | "upload" | "upload in parts";

/** A payer's order for one result, and the answers to its calls. */
export interface Order {
  payer: string;
  text: string;
  file: Uint8Array;
  isDamaged: boolean;
  /**
   * Whether marking the file takes as long as the payment's lease or longer. Other calls may then wait without a
   * result.
   */
  isSlow: boolean;
  way: Way;
  /** The query of the file's URL. A payer without an idempotency key changes it between attempts. */
  query: string;
  /** The idempotency key that the payer sends from the beginning. */
  ownKey: string | undefined;
  /** The current idempotency key: `ownKey`, or a key that the service has assigned. */
  key: string | undefined;
  /** Whether each attempt sends a new payment. */
  signsEachTime: boolean;
  /** The payments of the order. A second order that reuses them shares this array. */
  payments: Payment[];
  /** Handle of the file's upload, or undefined if the upload has not begun. */
  handle: Promise<string | undefined> | undefined;
  answers: Heard[];
  /** Number of simulated faults before the order was made. */
  faultsBefore: number;
}

/** The outcome of one call, as the caller sees it. */
export interface Heard {
  order: Order;
  payment: Payment;
  /** Whether the payment was signed for this call. */
  isFresh: boolean;
  /** Whether the caller got no answer. */
  lost: boolean;
  status: number;
  code: string;
  link: Link | undefined;
  /** Whether the call was made in the calm period at the end. */
  isFinal: boolean;
  /** Whether no simulated fault has occurred since the order was made. */
  isUndisturbed: boolean;
  /** Whether the deployment's clock is ahead, so that the payment expires too soon for the deployment. */
  isTooLate: boolean;
}

/** The clients of the Worker: payers who make orders, and strangers. */
export class Callers {
  readonly orders: Order[] = [];
  readonly links: Links;
  /** The answers that strangers have received, with the payments that they have sent. */
  readonly strangers: { payment: Payment | undefined; answer: Answer }[] = [];
  /** Upload handles that the service has issued. */
  readonly handles: string[] = [];
  /** Number of payers who are still trying to get their result. */
  buying = 0;
  /** Last HTTP status of each upload that was refused without a simulated fault. */
  readonly refusedUploads: number[] = [];
  /** Upload handles under which two files were accepted. */
  readonly takenTwice: string[] = [];
  readonly #world: World;
  readonly #chain: Chain;
  readonly #internet: Internet;
  readonly #service: Service;

  constructor(world: World, chain: Chain, internet: Internet, service: Service) {
    this.#world = world;
    this.#chain = chain;
    this.#internet = internet;
    this.#service = service;
    this.links = new Links(world, service);
  }

  /**
   * Simulates a payer who places an order and calls the Worker until the result arrives or the attempts run out. Two
   * clients of the payer may send calls for the same order in parallel.
   */
  async buy(): Promise<void> {
    const world = this.#world;
    const order = this.#order();
    if (world.chance(0.15)) this.#cheat(order);
    else if (world.chance(0.2)) this.#repeat(order);
    await world.sleep(world.below(20_000));
    const hands = world.chance(0.2) ? 2 : 1;
    this.buying++;
    await Promise.all(Array.from({ length: hands }, () => this.#insist(order)));
    this.buying--;
  }

  /**
   * Repeats an order with its current key, payment and upload. Uploads the file if it is missing, and signs a new
   * payment if the old payment has expired.
   */
  async askAgain(order: Order): Promise<void> {
    if ((await order.handle) === undefined) order.handle = undefined;
    const heard = await this.#call(order, {}, true);
    if (heard?.status !== 402) return;
    order.signsEachTime = true;
    await this.#call(order, {}, true);
  }

  /**
   * Simulates a stranger who sends forged payments, other people's payments copied from the chain, or guessed tokens.
   */
  async pester(): Promise<void> {
    const world = this.#world;
    const forged = world.chance(0.3) ? sign(`0x${"bad0".repeat(10)}`, world, this.#chain, true) : undefined;
    for (let attempts = 1 + world.below(2); attempts > 0; attempts--) {
      await world.sleep(world.below(60_000));
      const link = world.chance(0.3) && this.links.all.at(-1);
      if (link) {
        const guess = link.path.replace(/token=.*/, `token=${"0".repeat(64)}`);
        this.#note(undefined, await this.#service.send({ method: "GET", path: guess }));
        continue;
      }
      const payment = forged ?? this.#chain.payments.find(({ isPublic }) => isPublic);
      const [order] = this.orders;
      const sent = this.#request({ ...order!, way: "data URI", key: undefined });
      if (payment) sent.headers["X-PAYMENT"] = payment.header;
      this.#note(payment, await this.#service.send(sent));
    }
  }

  #order(): Order {
    const world = this.#world;
    const number = this.orders.length;
    const key = world.chance(0.6) ? `key of order ${number}, ${world.below(1e9)}` : undefined;
    const isDamaged = world.chance(0.05);
    const slow = world.chance(0.05) ? ` slow ${world.below(180_000)}` : "";
    const length = world.chance(0.1) ? 300 + world.below(200) : 30 + world.below(100);
    const uploadWay = world.chance(0.5) ? "upload" : "upload in parts";
    const ways: Way[] = ["data URI", "data URI", "body", "URL", uploadWay, world.chance(0.3) ? "form" : "URL"];
    const order: Order = {
      payer: world.pick(PAYERS),
      text: `ORDER ${number}`,
      file: encoder.encode(
        `${isDamaged ? DAMAGED : "%PDF-1.7"} ${number}${slow} ${"-".repeat(length)}${world.below(1000)}`,
      ),
      isDamaged,
      isSlow: slow !== "",
      way: world.pick(ways),
      query: "",
      ownKey: key,
      key,
      signsEachTime: world.chance(0.5),
      payments: [],
      handle: undefined,
      answers: [],
      faultsBefore: world.faults,
    };
    const isSpooledInParts = order.file.length > 200 && (order.way === "body" || order.way === "form");
    // Storing many large bodies in parts would slow the simulation down.
    if (isSpooledInParts && world.chance(0.95)) order.way = "URL";
    if (order.way === "URL") this.#internet.files.set(addressOf(order), order.file);
    this.orders.push(order);
    return order;
  }

  /** Makes the order reuse the payments and the idempotency key of an earlier order. */
  #cheat(order: Order): void {
    const earlier = this.orders.find(({ isDamaged }) => !isDamaged);
    if (!earlier || earlier === order) return;
    const { payer, payments, signsEachTime, ownKey } = earlier;
    Object.assign(order, { payer, payments, signsEachTime, ownKey, key: ownKey });
  }

  /** Makes the order repeat an earlier order without an idempotency key, like a second client of the same payer. */
  #repeat(order: Order): void {
    const earlier = this.orders.find(({ ownKey, signsEachTime }) => ownKey === undefined && signsEachTime);
    if (!earlier || earlier === order) return;
    const { payer, text, file, isDamaged, isSlow, payments } = earlier;
    // The service hashes a file differently if it is uploaded in parts. The same file therefore counts as different
    // content if it is sent in one request.
    if ([earlier.way, order.way].includes("upload in parts")) order.way = earlier.way;
    const withoutKey = { ownKey: undefined, key: undefined, signsEachTime: true };
    Object.assign(order, { payer, text, file, isDamaged, isSlow, payments, ...withoutKey });
    if (order.way === "URL") this.#internet.files.set(addressOf(order), order.file);
  }

  async #insist(order: Order): Promise<void> {
    const world = this.#world;
    for (let attempts = 1 + world.below(2); attempts > 0; attempts--) {
      const goneAfter = world.fails(0.1) ? world.below(20_000) : undefined;
      const pauseMs = world.fails(0.1) ? world.below(5000) : undefined;
      const breaksAt = world.fails(0.03) ? world.below(60) : undefined;
      const heard = await this.#call(order, {
        ...(goneAfter !== undefined && { goneAfter }),
        ...(pauseMs !== undefined && { pauseMs }),
        ...(breaksAt !== undefined && { breaksAt }),
      });
      if (heard?.link) return this.links.use(heard.link);
      await world.sleep(world.below(20_000));
    }
  }

  async #call(order: Order, mishap: Mishap, isFinal = false): Promise<Heard | undefined> {
    const world = this.#world;
    if (isUpload(order)) order.handle ??= this.#upload(order);
    const handle = await order.handle;
    if (isUpload(order) && handle === undefined) return undefined;
    const payment = (!order.signsEachTime && order.payments[0]) || sign(order.payer, world, this.#chain);
    const isFresh = !order.payments.includes(payment);
    if (order.key === undefined && order.signsEachTime && world.chance(0.3)) order.query = `?at=${world.now}`;
    const { query } = order;
    if (isFresh) order.payments.push(payment);
    const sent = this.#request(order, handle);
    sent.headers["X-PAYMENT"] = payment.header;
    if (isFinal && order.key === undefined) sent.headers["SIGN-IN-WITH-X"] = signIn(order.payer, world);
    const answer = await this.#service.send(sent, mishap);
    const json = answer ? JSON.parse(decoder.decode(answer.bytes)) : {};
    const link = answer?.status === 200 ? this.links.in(json.output, order) : undefined;
    if (json.idempotency_key && order.key === undefined) Object.assign(order, { key: json.idempotency_key, query });
    const code = answer?.status === 402 ? "payment_required" : (json.code ?? "");
    const isUndisturbed = world.faults === order.faultsBefore;
    const status = answer?.status ?? 0;
    const isTooLate = world.clockErrorMs > 0 && payment.ends < world.deploymentNow + NEEDED_VALIDITY_MS;
    const heard = { order, payment, isFresh, lost: !answer, status, code, link, isFinal, isUndisturbed, isTooLate };
    order.answers.push(heard);
    return heard;
  }

  /** Opens an upload and sends the order's file. Sometimes sends a second, different file in parallel. */
  async #upload(order: Order): Promise<string | undefined> {
    const world = this.#world;
    const { faults } = world;
    let last = 0;
    for (let attempts = 3; attempts > 0; attempts--) {
      const body = encoder.encode(JSON.stringify({ size: order.file.length }));
      const offered = await this.#service.send({ method: "POST", path: "/v1/uploads", body });
      last = offered?.status ?? 0;
      if (offered?.status !== 201) continue;
      const { handle, upload, parts } = JSON.parse(decoder.decode(offered.bytes));
      this.handles.push(handle);
      const files = [order.file, ...(world.chance(0.2) ? [changed(order.file)] : [])];
      const breaksAt = world.fails(0.1) ? world.below(order.file.length) : undefined;
      const send = (body: Uint8Array) =>
        this.#service.send(
          { method: "PUT", path: new URL(upload.url).pathname, headers: upload.headers, body },
          breaksAt === undefined ? {} : { breaksAt },
        );
      const isInParts = parts && order.way === "upload in parts";
      const answers = await Promise.all(files.map((file) => (isInParts ? this.#sendParts(parts, file) : send(file))));
      const taken = files.filter((_, at) => answers[at]?.status === 200);
      if (taken.length > 1) this.takenTwice.push(handle);
      last = answers[0]?.status ?? 0;
      if (!taken[0]) continue;
      order.file = taken[0];
      return handle;
    }
    const hasTooMany = last === 429 && faults > 0; // earlier failed uploads count against the rate limit for uploads
    if (world.faults === faults && !hasTooMany) this.refusedUploads.push(last);
    return undefined;
  }

  /**
   * Sends a file in parts. Sends missing parts a second time. If the upload contains this file, returns the answer to
   * its completion.
   */
  async #sendParts(
    { bytes, urls, status, complete }: { bytes: number; urls: string[]; status: string; complete: string },
    file: Uint8Array,
  ): Promise<Answer | undefined> {
    const world = this.#world;
    const pathOf = (url: string) => new URL(url).pathname;
    const partAt = (at: number) => file.subarray(at * bytes, (at + 1) * bytes);
    let stored: { number: number }[] = [];
    for (let attempts = 2; attempts > 0 && stored.length < urls.length; attempts--) {
      const missing = urls.map((_, at) => at).filter((at) => !stored.some(({ number }) => number === at + 1));
      await Promise.all(
        missing.map((at) =>
          this.#service.send(
            { method: "PUT", path: pathOf(urls[at]!), body: partAt(at) },
            world.fails(0.05) ? { breaksAt: world.below(bytes) } : {},
          ),
        ),
      );
      const listed = await this.#service.send({ method: "GET", path: pathOf(status) });
      if (listed?.status === 200) stored = JSON.parse(decoder.decode(listed.bytes)).parts;
    }
    const answer = await this.#service.send({ method: "POST", path: pathOf(complete) });
    if (answer?.status !== 200) return answer;
    const { parts_sha256 } = JSON.parse(decoder.decode(answer.bytes));
    return parts_sha256 === hashOf(Buffer.concat(urls.map((_, at) => hashOf(partAt(at))))).toString("hex")
      ? answer
      : undefined;
  }

  #request(order: Order, handle?: string) {
    const { way, text, file, key, query } = order;
    const headers: Record<string, string> = key === undefined ? {} : { "Idempotency-Key": key };
    const path = "/v1/watermark/text";
    if (way === "body") {
      headers["Content-Type"] = "application/pdf";
      return { method: "POST", path: `${path}?text=${encodeURIComponent(text)}`, headers, body: file };
    }
    if (way === "form") {
      headers["Content-Type"] = "multipart/form-data; boundary=b";
      const fields = `--b\r\nContent-Disposition: form-data; name="text"\r\n\r\n${text}\r\n`;
      const named = `--b\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n`;
      const body = encoder.encode(`${fields}${named}${decoder.decode(file)}\r\n--b--\r\n`);
      return { method: "POST", path, headers, body };
    }
    headers["Content-Type"] = "application/json";
    const address = way === "URL" ? addressOf(order) + query : handle;
    const source = way === "data URI" ? `data:application/pdf;base64,${btoa(decoder.decode(file))}` : address;
    return { method: "POST", path, headers, body: encoder.encode(JSON.stringify({ file: source, text })) };
  }

  #note(payment: Payment | undefined, answer: Answer | undefined): void {
    if (answer) this.strangers.push({ payment, answer });
  }
}

function isUpload({ way }: Order): boolean {
  return way === "upload" || way === "upload in parts";
}

function addressOf({ text }: Order): string {
  return `${FILES}${text.slice(6)}.pdf`;
}

function hashOf(bytes: Uint8Array): Buffer {
  return createHash("sha256").update(bytes).digest();
}

/** Returns a different file of the same length as `file`. */
function changed(file: Uint8Array): Uint8Array {
  return file.with(-1, "x".charCodeAt(0));
}
