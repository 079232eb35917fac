import { facilitatorNamed } from "../../src/payments/facilitators/facilitators.ts";
import { remoteFacilitator } from "../../src/payments/facilitators/remoteFacilitator.ts";
import { KeyBinding, type StoredBinding } from "../../src/payments/ledger/keyBinding.ts";
import { LedgerEntry } from "../../src/payments/ledger/ledgerEntry.ts";
import type { Entry } from "../../src/payments/ledger/record.ts";
import { Sale } from "../../src/payments/sale/gate.ts";
import type { LedgerBook, SaleTerms, WorkResult } from "../../src/payments/sale/saleTerms.ts";
import { NETWORKS } from "../../src/payments/wire/networks.ts";
import { offerOf } from "../../src/payments/wire/offer.ts";
import { type PaymentPayload, readPaymentPayload } from "../../src/payments/wire/paymentPayload.ts";
import { parsePrice } from "../../src/payments/wire/price.ts";

/** The offer to which the payments of the tests belong. */
export const OFFER = offerOf(
  { url: "https://overprint.example.com/v1/watermark/text", description: "", outputSchema: {}, bazaar: {} },
  {
    price: parsePrice("0.05")!,
    payTo: "0x00000000000000000000000000000000000000aa",
    networks: [NETWORKS["base-sepolia"]],
    maxTimeoutSeconds: 300,
  },
);

/** A context whose log drops all lines and whose timer measures nothing. */
export const SILENT = { requestId: "test", log: () => {}, timed: <T>(_: string, act: () => Promise<T>) => act() };

/** Terms of a caller who sends only a payment, without an idempotency key or a sign-in. No default key applies. */
export const BARE = { key: null, hasDefaultKey: false, isSignedIn: async () => false };

/** Creates a payment as parsed by the service. Its signature is fake, because no test checks it. */
export async function paymentFrom({
  validBefore,
  from = `0x${"01".repeat(20)}`,
}: {
  validBefore?: number | undefined;
  from?: string;
} = {}): Promise<PaymentPayload> {
  const authorization = {
    from,
    to: OFFER.v1[0]!.payTo,
    value: "50000",
    validAfter: "0",
    validBefore: String(validBefore ?? Math.floor(Date.now() / 1000) + 300),
    nonce: `0x${crypto.getRandomValues(new Uint8Array(32)).toHex()}`,
  };
  const payload = { signature: `0x${"02".repeat(65)}`, authorization };
  return readPaymentPayload({ x402Version: 1, scheme: "exact", network: "base-sepolia", payload }, OFFER);
}

/** Runs a sale from start to end, and returns its result. */
export async function sell<T>(terms: SaleTerms<T>) {
  const sale = new Sale(terms);
  await sale.fulfill();
  return sale.settle();
}

/** Converts the errors of a call's work to text and back, but keeps only their messages. */
export const ERRORS = {
  write: (error: unknown) => (error instanceof Error ? error.message : String(error)),
  read: (text: string) => new Error(text),
};

/**
 * Returns a facilitator's timeout in milliseconds. It is short for a silent facilitator, and long for others because
 * the machine may be busy.
 */
const timeoutOf = (url: string) => (url.includes("silent") ? 500 : 20_000);

/** Creates the client of a simulated facilitator with the named behavior. */
export function facilitatorThat(behavior: string) {
  const url = `https://facilitator.example.com/${behavior}`;
  return remoteFacilitator({ url, timeoutMs: timeoutOf(url) }, SILENT);
}

/** A ledger that keeps its records in memory and runs their alarms. */
interface MemoryLedger extends LedgerBook {
  /** Outputs that the ledger has deleted. */
  deleted: string[];
  /** Returns the ledger's time in Unix milliseconds. */
  now(): number;
  /** Advances the ledger's clock by `ms`. */
  advance(ms: number): void;
  /** Resolves when a call begins to wait for another call. */
  nextWait(): Promise<void>;
}

export function memoryLedger(): MemoryLedger {
  const deleted: string[] = [];
  let advancedMs = 0;
  const now = () => Date.now() + advancedMs;
  const waitListeners: (() => void)[] = [];
  const records = new Map<string, ReturnType<typeof recordOf>>();
  const recordOf = () => {
    let stored: Entry | undefined;
    let bound: StoredBinding | undefined;
    let alarm: ReturnType<typeof setTimeout> | undefined;
    const entry: LedgerEntry = new LedgerEntry({
      load: () => stored,
      save(changed, alarmAt) {
        stored = structuredClone(changed);
        clearTimeout(alarm);
        const waitMs = alarmAt === undefined ? Number.POSITIVE_INFINITY : alarmAt - now();
        if (waitMs < 60_000) alarm = setTimeout(() => void entry.alarm(), Math.max(0, waitMs));
      },
      clear() {
        stored = undefined;
        clearTimeout(alarm);
      },
      settle: ({ payment, facilitator: name }) =>
        facilitatorNamed(name, { facilitators: [], facilitatorTimeoutMs: timeoutOf(name) }, SILENT).settle(payment),
      evidence: () => undefined,
      addPurchase: async () => {},
      bookSale: async () => true,
      allowUnproved: async () => true,
      settleTimeoutMs: 600,
      isAvailable: async (output) => !deleted.includes(output),
      deleteOutput: async (output) => void deleted.push(output),
      now,
      sleep(ms) {
        for (const onWait of waitListeners.splice(0)) onWait();
        return new Promise((resolve) => setTimeout(resolve, ms));
      },
      log: () => {},
    });
    const key = new KeyBinding({
      load: () => bound,
      save(changed) {
        bound = changed;
      },
    });
    return Object.assign(entry, {
      binding: () => key.current(),
      bind: (...args: Parameters<KeyBinding["bind"]>) => key.bind(...args),
    });
  };
  return {
    deleted,
    now,
    advance(ms) {
      advancedMs += ms;
    },
    nextWait: () => new Promise((resolve) => waitListeners.push(resolve)),
    getByName(name) {
      const record = records.get(name) ?? recordOf();
      records.set(name, record);
      return record;
    },
  };
}

/** The result of the work that is sold in these tests. */
export const WORK: WorkResult<string> = {
  value: "work",
  output: "000000-00000000000000000000000000000000",
  expiresAt: new Date(Date.now() + 3_600_000),
  facts: { pages: 1, bytes: 9 },
};

/** Returns the number of settlement requests for a payment at a simulated facilitator. */
export async function askedToSettle(facilitator: string): Promise<number | undefined> {
  const counted = await fetch(`${facilitator}/count`, { method: "POST", body: "{}" });
  return (await counted.json<{ settle?: number }>()).settle;
}
