import { facilitatorNamed } from "../../src/payments/facilitators/facilitators.ts";
import { remoteFacilitator } from "../../src/payments/facilitators/remoteFacilitator.ts";
import { KeyBinding, type StoredBinding } from "../../src/payments/ledger/keyBinding.ts";
import { LedgerEntry } from "../../src/payments/ledger/ledgerEntry.ts";
import type { Entry } from "../../src/payments/ledger/record.ts";
import { type LedgerBook, Sale, type SaleTerms, type WorkResult } from "../../src/payments/sale/gate.ts";
import { NETWORKS } from "../../src/payments/wire/networks.ts";
import { offerOf } from "../../src/payments/wire/offer.ts";
import { type PaymentPayload, readPaymentPayload } from "../../src/payments/wire/paymentPayload.ts";
import { parsePrice } from "../../src/payments/wire/price.ts";

/** What the tests sell. */
export const OFFER = offerOf(
  { url: "https://overprint.example.com/v1/watermark/text", description: "", outputSchema: {}, bazaar: {} },
  {
    price: parsePrice("0.05")!,
    payTo: "0x00000000000000000000000000000000000000aa",
    networks: [NETWORKS["base-sepolia"]],
    maxTimeoutSeconds: 300,
  },
);

/** Events that nobody looks at, and times. */
export const SILENT = { requestId: "test", log: () => {}, timed: <T>(_: string, act: () => Promise<T>) => act() };

/** A caller that has nothing to show but its payment. */
export const BARE = { key: null, isSignedIn: async () => false };

/** A payment as read, whose signature nobody checks: quick to make. */
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

/** Sells from beginning to end. */
export async function sell<T>(terms: SaleTerms<T>) {
  const sale = new Sale(terms);
  await sale.fulfill();
  return sale.settle();
}

/** How work fails here: by an error whose message is all there is to it. */
export const ERRORS = {
  write: (error: unknown) => (error instanceof Error ? error.message : String(error)),
  read: (text: string) => new Error(text),
};

/** One that never answers is given up soon; the others have the time that a busy machine takes. */
const timeoutOf = (url: string) => (url.includes("silent") ? 500 : 20_000);

/** A facilitator of the tests that behaves as named. */
export function facilitatorThat(behaviour: string) {
  const url = `https://facilitator.example.com/${behaviour}`;
  return remoteFacilitator({ url, timeoutMs: timeoutOf(url) }, SILENT);
}

/** A ledger in memory, with alarms. `deleted` are the outputs it has deleted. */
export function memoryLedger(): LedgerBook & { deleted: string[] } {
  const deleted: string[] = [];
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
        const waitMs = alarmAt === undefined ? Number.POSITIVE_INFINITY : alarmAt - Date.now();
        if (waitMs < 60_000) alarm = setTimeout(() => void entry.alarm(), waitMs);
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
      now: () => Date.now(),
      sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
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
    getByName(name) {
      const record = records.get(name) ?? recordOf();
      records.set(name, record);
      return record;
    },
  };
}

/** What work makes here. */
export const WORK: WorkResult<string> = {
  value: "work",
  output: "000000-00000000000000000000000000000000",
  expiresAt: new Date(Date.now() + 3_600_000),
  facts: { pages: 1, bytes: 9 },
};

/** How often a facilitator of the tests has been asked to settle. */
export async function askedToSettle(facilitator: string): Promise<number | undefined> {
  const counted = await fetch(`${facilitator}/count`, { method: "POST", body: "{}" });
  return (await counted.json<{ settle?: number }>()).settle;
}
