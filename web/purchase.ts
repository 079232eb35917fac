/**
 * The checkout of the playground. The page loads it with the first preview. The purchase itself is in `buying/`, and
 * the signing code is loaded on demand.
 */
import {
  type Attempt,
  type Bought,
  beginAttempt,
  boughtAttempts,
  dropAttempt,
  findAttempt,
  saveAttempt,
} from "./buying/attempts.ts";
import { buy, loadPayers } from "./buying/buy.ts";
import type { Order } from "./buying/order.ts";
import type { Payer } from "./buying/payer.ts";
import { type Receipt, receiptFor } from "./buying/receipt.ts";
import { Stopped } from "./buying/stopped.ts";
import { findWallets, type Wallet } from "./buying/wallets.ts";

const section = document.getElementById("purchase")!;
const { developmentKey, maxBytes } = section.dataset as { developmentKey?: `0x${string}`; maxBytes: string };
const button = document.getElementById("buy") as HTMLButtonElement;
const developmentButton = document.getElementById("buy-in-development") as HTMLButtonElement | null;
const status = document.getElementById("purchase-status")!;
const wallets = document.getElementById("wallets")!;
const progress = document.getElementById("progress") as HTMLProgressElement;
const cancel = document.getElementById("cancel") as HTMLButtonElement;
/** The part of the page about alternatives to a wallet. Null on the page of a payment link. */
const withoutWallet = document.getElementById("no-wallet");
const receipts = document.getElementById("receipts")!;

/** Button label and status for an order that was bought or tried before. */
const RETRY = {
  bought: ["Get it again", "You have bought this file with these settings. Getting it again is free."],
  tried: ["Try again", "You have signed a payment for this file with these settings. You will not be charged twice."],
} as const;
const NEW = button.textContent!;
const SOLD = "This link was already paid. It is sold once.";

/** The checkout for the file in the playground. */
export class Purchase {
  readonly #order: () => Order | undefined;
  #isUsable = false;
  #isBusy = false;
  /**
   * Sequence number of the latest offer. Digests are computed asynchronously, and a digest of an earlier offer is
   * ignored.
   */
  #offers = 0;
  /** Digest of the order whose error is shown. Offering the same order again must not clear the error message. */
  #failedDigest: string | undefined;
  readonly #onBought: (order: Order) => void;
  /** Receipts by the key of the attempt. */
  readonly #receipts = new Map<string, Receipt>();

  /**
   * @param order returns the order that the controls currently describe
   * @param isShown returns whether to show the receipt of an earlier purchase
   * @param onBought is called after a purchase of an order
   */
  constructor(
    order: () => Order | undefined,
    {
      isShown = () => true,
      onBought = () => undefined,
    }: { isShown?: (attempt: Attempt) => boolean; onBought?: (order: Order) => void } = {},
  ) {
    this.#order = order;
    this.#onBought = onBought;
    button.addEventListener("click", () => this.#buy(chooseWallet, button));
    developmentButton?.addEventListener("click", () => this.#buy(developmentPayer, developmentButton));
    for (const attempt of boughtAttempts()) if (isShown(attempt)) this.#show(attempt, attempt.bought);
  }

  /** Disables the buttons until the next offer, because the current order is not on screen yet. */
  suspend(): void {
    this.#offers++;
    this.#isUsable = false;
    this.#enable();
  }

  /** Offers the current order. Disables the buttons if the order is not usable. */
  async offer(isUsable: boolean): Promise<void> {
    const order = this.#order();
    const fits = !order || order.bytes <= Number(maxBytes);
    this.#isUsable = isUsable && fits && !order?.isSold;
    this.#enable();
    const offered = await this.#label(order);
    if (!offered) return;
    this.#isUsable = isUsable && fits && !offered.isGone;
    this.#enable();
    if (this.#failedDigest !== undefined && offered.digest === this.#failedDigest) return;
    this.#failedDigest = undefined;
    status.textContent = !fits ? tooLarge() : isUsable ? offered.words : "";
  }

  /**
   * Labels the button for an order. Returns the order's digest, its status text, and whether it is sold to someone
   * else. Returns undefined if another order was offered meanwhile or a purchase is running.
   */
  async #label(
    order: Order | undefined,
  ): Promise<{ digest: string | undefined; words: string; isGone: boolean } | undefined> {
    const offer = ++this.#offers;
    const digest = await order?.digest();
    const attempt = digest === undefined ? undefined : findAttempt(digest, order!.password);
    if (offer !== this.#offers || this.#isBusy) return undefined;
    const isGone = order?.isSold === true && !attempt?.payment;
    const isAnother = digest !== undefined && receipts.childElementCount > 0;
    const [label, words] = attempt?.payment
      ? RETRY[attempt.bought ? "bought" : "tried"]
      : [NEW, isGone ? SOLD : isAnother ? "This version is not bought yet. Each change is another call." : ""];
    button.textContent = label;
    return { digest, words, isGone };
  }

  #enable(): void {
    for (const one of [button, developmentButton]) if (one) one.disabled = this.#isBusy || !this.#isUsable;
  }

  /** Whether the current order can be bought. */
  get isOffered(): boolean {
    return this.#isUsable;
  }

  /**
   * Buys one order after the other, with the same wallet, until a purchase fails.
   * @param next shows the next order; returns false after the last one
   */
  async buySeries(next: () => Promise<boolean>, isInDevelopment: boolean): Promise<void> {
    let payer: Payer | undefined;
    const choose = async (signal: AbortSignal) => {
      payer ??= await (isInDevelopment ? developmentPayer() : chooseWallet(signal));
      return payer;
    };
    while (await next()) if (!(await this.#buy(choose, button))) return;
  }

  /** Buys the current order. Returns whether it was bought. */
  async #buy(choosePayer: (signal: AbortSignal) => Promise<Payer>, pressed: HTMLButtonElement): Promise<boolean> {
    const order = this.#order();
    if (!order || this.#isBusy) return false;
    const abort = new AbortController();
    const { signal } = abort;
    const end = new AbortController();
    cancel.addEventListener("click", () => abort.abort(), { signal: end.signal });
    this.#isBusy = true;
    this.#enable();
    section.classList.add("busy");
    if (withoutWallet) withoutWallet.hidden = true;
    cancel.hidden = false;
    cancel.focus();
    let attempt: Attempt | undefined;
    let bought: Bought | undefined;
    try {
      status.textContent = "Preparing the purchase …";
      const digest = await order.digest();
      await lockOrder(digest, signal, end.signal);
      attempt = beginAttempt(digest, order);
      bought = await orAbort(
        signal,
        buy(order, attempt, {
          signal,
          show: (words) => {
            status.textContent = words;
          },
          showProgress,
          showEnded: () => this.#receipts.get(attempt!.key)?.close("The link has expired or was revoked."),
          choosePayer: () => choosePayer(signal),
        }),
      );
      attempt = { ...attempt, bought, boughtAt: Date.now(), until: Date.parse(bought.output.expires_at) };
      saveAttempt(attempt);
      this.#onBought(order);
    } catch (error) {
      status.textContent = signal.aborted ? canceled(attempt) : wordsOf(error);
      const shown = this.#order();
      this.#failedDigest = await shown?.digest();
    }
    end.abort();
    this.#isBusy = false;
    section.classList.remove("busy");
    wallets.hidden = progress.hidden = cancel.hidden = true;
    this.#enable();
    if (bought) {
      this.#show(attempt!, bought).focus();
      await this.offer(this.#isUsable);
      status.textContent = ""; // the receipt shows the link, so the status line stays empty
    } else {
      pressed.focus();
      await this.#label(this.#order()); // the visitor may have changed the order during the purchase
    }
    return bought !== undefined;
  }

  /** Shows the receipt of a bought file above earlier receipts. */
  #show(attempt: Attempt, bought: Bought): HTMLElement {
    const { key } = attempt;
    const receipt = receiptFor(attempt, bought, () => {
      dropAttempt(attempt);
      this.#receipts.delete(key);
      this.offer(this.#isUsable);
    });
    this.#receipts.get(key)?.element.remove();
    this.#receipts.set(key, receipt);
    receipts.prepend(receipt.element);
    return receipt.element;
  }
}

/** Finds the browser's wallets and lets the visitor choose if there are several. */
async function chooseWallet(signal: AbortSignal): Promise<Payer> {
  const found = await findWallets();
  const { walletPayer } = await loadPayers();
  if (found.length === 0) {
    const words = "No wallet was found in this browser. Nothing was charged.";
    if (!withoutWallet) throw new Stopped(`${words} Open this page in a browser with a wallet that holds USDC.`);
    withoutWallet.hidden = false;
    withoutWallet.scrollIntoView({ block: "nearest" });
    throw new Stopped(words);
  }
  if (found.length === 1) return walletPayer(found[0]!);
  signal.throwIfAborted();
  status.textContent = "Choose a wallet.";
  return new Promise((resolve) => {
    wallets.replaceChildren(
      ...found.map((wallet) =>
        walletButton(wallet, () => {
          wallets.hidden = true;
          cancel.focus();
          resolve(walletPayer(wallet));
        }),
      ),
    );
    wallets.hidden = false;
    wallets.querySelector("button")!.focus();
  });
}

function walletButton({ info }: Wallet, choose: () => void): HTMLElement {
  const item = document.createElement("li");
  const choice = document.createElement("button");
  choice.type = "button";
  choice.className = "button quiet";
  if (info.icon.startsWith("data:image/")) {
    const icon = document.createElement("img");
    icon.src = info.icon;
    icon.alt = "";
    icon.width = icon.height = 24;
    choice.append(icon);
  }
  choice.append(info.name);
  choice.addEventListener("click", choose);
  item.append(choice);
  return item;
}

async function developmentPayer(): Promise<Payer> {
  const { keyPayer } = await loadPayers();
  return keyPayer(developmentKey!);
}

function showProgress(share: number): void {
  progress.hidden = false;
  if (share < 1) progress.value = share;
  else progress.removeAttribute("value"); // the upload is complete, and the remaining time is unknown
}

/**
 * Waits until no other tab buys the same order, so that two tabs cannot pay twice. Keeps other tabs waiting until `end`
 * is aborted. Browsers without locks (on plain HTTP) do not wait.
 * @throws DOMException AbortError if `signal` is aborted first
 */
function lockOrder(digest: string, signal: AbortSignal, end: AbortSignal): Promise<void> {
  const locks = navigator.locks as LockManager | undefined;
  return new Promise((resolve, reject) => {
    const hold = () => {
      resolve();
      return new Promise<void>((release) => end.addEventListener("abort", () => release()));
    };
    if (locks) locks.request(`overprint.purchase.${digest}`, { signal }, hold).catch(reject);
    else resolve();
  });
}

/** Rejects as soon as the purchase is canceled, because a wallet may never answer. */
function orAbort<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
    work.then(resolve, reject);
  });
}

function tooLarge(): string {
  const limit = `${(Number(maxBytes) / 1e6).toLocaleString("en")} MB`;
  return `This page can send at most ${limit}. For a larger file, call the API with the file’s URL.`;
}

function canceled(attempt: Attempt | undefined): string {
  if (!attempt?.payment) return "Canceled. Nothing was charged.";
  return "Canceled. If the payment went through, try again to get the file. You will not be charged twice.";
}

function wordsOf(error: unknown): string {
  if (error instanceof Stopped) return error.message;
  return `The purchase failed: ${error instanceof Error ? error.message : error}`;
}
