import { EVIDENCE_TIMEOUT_MS, type RpcUrls } from "../chain/chain.ts";
import { readChannelState } from "../chain/channelState.ts";
import { channelFacilitator } from "../facilitators/channelFacilitator.ts";
import type { FacilitatorSettings } from "../facilitators/facilitators.ts";
import { type BookedSale, daybookOf, dayOf } from "../ledger/daybook.ts";
import { type ListedPayment, purchasesOf } from "../ledger/purchaseList.ts";
import type { RecordStorage } from "../ledger/recordStorage.ts";
import { CHANNEL_CONTRACT, type Hex } from "../wire/channelTypes.ts";
import type { PaymentEvent } from "../wire/events.ts";
import { Channel } from "./channel.ts";
import {
  type ChannelBooking,
  type ChannelRecord,
  channelAlarmAt,
  channelNameOf,
  channelPaymentOf,
} from "./channelRecord.ts";

/** Name of the Durable Object that stores the list of open channels. */
export const OPEN_CHANNELS = "channels";

/** Extra time on top of the facilitator's and the node's timeouts, in milliseconds. */
const GRACE_MS = 2000;

/** The dependencies of the Durable Object of a channel. */
export interface ChannelBackend extends FacilitatorSettings {
  rpcUrls: RpcUrls;
  /** The key that signs claims and refunds. Undefined if the deployment offers no channels. */
  channelKey: Hex | undefined;
  objects: {
    getByName(name: string): {
      bookSale(sale: BookedSale): Promise<void>;
      listOpen(name: string, entry: string | undefined): Promise<void>;
      addPurchase(listed: ListedPayment): Promise<void>;
    };
  };
  /** Returns whether an output can still be delivered. A revoked link makes its output unavailable early. */
  isAvailable(output: string): Promise<boolean>;
  /** Deletes an output that will never be delivered. Never throws. */
  deleteOutput(output: string): Promise<void>;
  /** Stores a copy of a channel's record, as JSON, under the channel's name. */
  copyChannel(name: string, record: string): Promise<void>;
  log(event: PaymentEvent): void;
}

/** Returns the channel that is stored in a Durable Object. */
export function channelIn(storage: RecordStorage, backend: ChannelBackend): Channel {
  const { facilitators, facilitatorTimeoutMs, objects, log } = backend;
  const askMs = facilitatorTimeoutMs * Math.max(facilitators.length, 1);
  const isDone = (task: Promise<void>) =>
    task.then(
      () => true,
      () => false, // the alarm repeats a failed task
    );
  return new Channel({
    kv: {
      get: (key) => storage.kv.get(key),
      put: (key, value) => storage.kv.put(key, value),
      delete: (key) => void storage.kv.delete(key),
      list: (options) => storage.kv.list(options),
    },
    load() {
      const record = storage.kv.get<ChannelRecord>("channel");
      return record && { ...record, claimsBooked: record.claimsBooked ?? record.snapshot.totalClaimed }; // the first records of channels lack `claimsBooked`
    },
    save(record) {
      storage.kv.put("channel", record);
      const alarmAt = channelAlarmAt(record);
      void (alarmAt === undefined ? storage.deleteAlarm() : storage.setAlarm(Math.max(alarmAt, Date.now())));
    },
    clear: () => void storage.deleteAll(),
    facilitator(name, requestId) {
      const listed = facilitators.find(({ url }) => url === name);
      return channelFacilitator({ url: name, timeoutMs: facilitatorTimeoutMs, ...listed }, { requestId, log });
    },
    async readChain({ channelId, chain: { name } }) {
      const url = backend.rpcUrls[name];
      if (url === undefined) return undefined;
      return readChannelState(channelId, url).catch((error: unknown) => {
        log({ event: "chain", request_id: channelId, network: name, error: String(error) });
        return undefined;
      });
    },
    async sign(hash) {
      if (backend.channelKey === undefined) throw new Error("CHANNEL_KEY is missing, so nothing can be claimed");
      const { signChannelHash } = await import("../wire/channelKey.ts");
      return signChannelHash(hash, backend.channelKey);
    },
    isAvailable: backend.isAvailable,
    deleteOutput: backend.deleteOutput,
    async book(record, booking) {
      const booked = objects.getByName(daybookOf(dayOf(booking.at))).bookSale(bookedOf(record, booking));
      if (booking.type !== "sale") return isDone(booked);
      const { cumulative, at, expiresAt } = booking;
      const payment = channelPaymentOf(channelNameOf(record.chain.caip2, record.channelId), cumulative);
      const listed = objects.getByName(purchasesOf(record.config.payer)).addPurchase({ payment, at, expiresAt });
      const [isBooked] = await Promise.all([isDone(booked), isDone(listed)]);
      // ignores a failed entry in the list of purchases, because the payer can still get the result with the voucher
      return isBooked;
    },
    copy: (record) =>
      isDone(backend.copyChannel(channelNameOf(record.chain.caip2, record.channelId), JSON.stringify(record))),
    list: ({ chain, channelId }, entry) =>
      isDone(objects.getByName(OPEN_CHANNELS).listOpen(channelNameOf(chain.caip2, channelId), entry)),
    // Sum of the timeouts of one transaction and of the chain readings before and after it. A reading asks the node,
    // and then each facilitator up to twice.
    settleTimeoutMs: 2 * (EVIDENCE_TIMEOUT_MS + 2 * askMs) + facilitatorTimeoutMs + GRACE_MS,
    now: () => Date.now(),
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    log,
  });
}

/** Converts a booking of a channel to a row of the daybook. */
function bookedOf({ channelId, chain, config, requirements }: ChannelRecord, booking: ChannelBooking): BookedSale {
  const { type, amount, at } = booking;
  const mark = "cumulative" in booking ? booking.cumulative : booking.transaction;
  return {
    payment: [channelNameOf(chain.caip2, channelId), type, mark].join(":"),
    requestId: "requestId" in booking ? booking.requestId : "",
    settledAt: at,
    network: chain.name,
    chain: chain.caip2,
    decimals: chain.decimals,
    asset: chain.asset,
    payer: type === "transfer" ? CHANNEL_CONTRACT : config.payer,
    payTo: requirements.payTo,
    amount,
    transaction: "transaction" in booking ? booking.transaction : "",
    proved: true,
    channel: { id: channelId, entry: type },
  };
}
