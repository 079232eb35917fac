/** "Get the PDF": loaded with the first preview. What it does is in `buying/`; what signs is loaded when it is used. */
import {
  type Attempt,
  type Bought,
  beginAttempt,
  boughtAttempts,
  dropAttempt,
  findAttempt,
  keepAttempt,
} from "./buying/attempts.ts";
import { buy } from "./buying/buy.ts";
import { digestOf, type Order } from "./buying/order.ts";
import type { Payer } from "./buying/payer.ts";
import { receiptFor } from "./buying/receipt.ts";
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
const receipts = document.getElementById("receipts")!;

/** What the button says for an order that was tried before, and beside it. */
const AGAIN = {
  bought: ["Get it again", "You have bought this file with these settings. Getting it again is not charged."],
  tried: ["Try again", "A payment for this file with these settings has been signed. It is not charged twice."],
} as const;
const NEW = button.textContent!;

/** Sells what the playground shows. */
export class Purchase {
  readonly #order: () => Order | undefined;
  #isUsable = false;
  #isBusy = false;
  /** Counts what was offered: digests come later, and only that of the last offer counts. */
  #offers = 0;
  /** What was shown when a failure was told: offering it again, once it is drawn, must not take the words away. */
  #toldBeside: string | undefined;
  /** The receipts, by the digests of their orders. */
  readonly #receipts = new Map<string, HTMLElement>();

  /** @param order what the playground's controls say now */
  constructor(order: () => Order | undefined) {
    this.#order = order;
    button.addEventListener("click", () => this.#buy(chooseWallet, button));
    developmentButton?.addEventListener("click", () => this.#buy(developmentPayer, developmentButton));
    for (const attempt of boughtAttempts()) this.#show(attempt, attempt.bought);
  }

  /** Offers what is shown, or nothing while it cannot be used. */
  async offer(isUsable: boolean): Promise<void> {
    const order = this.#order();
    const fits = !order || order.file.size + (order.image?.size ?? 0) <= Number(maxBytes);
    this.#isUsable = isUsable && fits;
    this.#enable();
    const offered = await this.#label(order);
    if (!offered || (this.#toldBeside !== undefined && offered.digest === this.#toldBeside)) return;
    this.#toldBeside = undefined;
    status.textContent = fits ? offered.words : tooLarge();
  }

  /**
   * Has the button say what it does for an order, and returns the order's digest and what there is to say beside it: undefined
   * where another was offered meanwhile, or is being bought.
   */
  async #label(order: Order | undefined): Promise<{ digest: string | undefined; words: string } | undefined> {
    const offer = ++this.#offers;
    const digest = order && (await digestOf(order));
    const attempt = digest === undefined ? undefined : findAttempt(digest);
    if (offer !== this.#offers || this.#isBusy) return undefined;
    const [label, words] = attempt?.payment ? AGAIN[attempt.bought ? "bought" : "tried"] : [NEW, ""];
    button.textContent = label;
    return { digest, words };
  }

  #enable(): void {
    for (const one of [button, developmentButton]) if (one) one.disabled = this.#isBusy || !this.#isUsable;
  }

  async #buy(choosePayer: (signal: AbortSignal) => Promise<Payer>, pressed: HTMLButtonElement): Promise<void> {
    const order = this.#order();
    if (!order) return;
    const abort = new AbortController();
    const { signal } = abort;
    const end = new AbortController();
    cancel.addEventListener("click", () => abort.abort(), { signal: end.signal });
    this.#isBusy = true;
    this.#enable();
    section.classList.add("busy");
    cancel.hidden = false;
    cancel.focus();
    let attempt: Attempt | undefined;
    let bought: Bought | undefined;
    try {
      attempt = beginAttempt(await digestOf(order), order.file.name);
      bought = await orAbort(
        signal,
        buy(order, attempt, {
          signal,
          tell: (words) => {
            status.textContent = words;
          },
          showProgress,
          choosePayer: () => choosePayer(signal),
        }),
      );
      keepAttempt({ ...attempt, bought, until: Date.parse(bought.output.expires_at) });
    } catch (error) {
      status.textContent = signal.aborted ? cancelled(attempt) : wordsOf(error);
      const shown = this.#order();
      this.#toldBeside = shown && (await digestOf(shown));
    }
    end.abort();
    this.#isBusy = false;
    section.classList.remove("busy");
    wallets.hidden = progress.hidden = cancel.hidden = true;
    this.#enable();
    if (bought) {
      this.#show(attempt!, bought).focus();
      await this.offer(this.#isUsable);
      status.textContent = ""; // the link is in sight
    } else {
      pressed.focus();
      await this.#label(this.#order()); // which may not be the one that failed
    }
  }

  /** Shows the receipt of what was bought, above the others. */
  #show(attempt: Attempt, bought: Bought): HTMLElement {
    const { digest, name } = attempt;
    const { element: receipt } = receiptFor(name, bought, () => {
      dropAttempt(attempt);
      this.#receipts.delete(digest);
      this.offer(this.#isUsable);
    });
    this.#receipts.get(digest)?.remove();
    this.#receipts.set(digest, receipt);
    receipts.prepend(receipt);
    return receipt;
  }
}

/** Has the reader choose among the wallets of the browser, if there is a choice. */
async function chooseWallet(signal: AbortSignal): Promise<Payer> {
  const found = await findWallets();
  const { walletPayer } = await import("./buying/payer.ts");
  if (found.length === 0) {
    const words =
      "No wallet was found in this browser. Install one that holds USDC and reload the page, or pay by a call";
    throw new Stopped(`${words}: its code is on this page.`);
  }
  if (found.length === 1) return walletPayer(found[0]!);
  signal.throwIfAborted();
  status.textContent = "Which wallet pays?";
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
  const { keyPayer } = await import("./buying/payer.ts");
  return keyPayer(developmentKey!);
}

function showProgress(share: number): void {
  progress.hidden = false;
  if (share < 1) progress.value = share;
  else progress.removeAttribute("value"); // it is not known how long the rest takes
}

/** Waits no longer than until it is cancelled: a wallet may never answer. */
function orAbort<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
    work.then(resolve, reject);
  });
}

function tooLarge(): string {
  const limit = `${(Number(maxBytes) / 1e6).toLocaleString("en")} MB`;
  return `The file is too large to be sent from here, where ${limit} is the limit. By its URL a call takes larger ones.`;
}

function cancelled(attempt: Attempt | undefined): string {
  if (!attempt?.payment) return "Cancelled. Nothing was charged.";
  return "Cancelled. Should the payment have gone through, trying again gets the file, and is not charged twice.";
}

function wordsOf(error: unknown): string {
  if (error instanceof Stopped) return error.message;
  return `This did not work: ${error instanceof Error ? error.message : error}`;
}
