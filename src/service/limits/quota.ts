import { DurableObject } from "cloudflare:workers";
import {
  RECORD_VERSION,
  type RecordStorage,
  recordStorage,
  recordVersionOf,
} from "../../payments/ledger/recordStorage.ts";
import type { PaymentPayload } from "../../payments/wire/paymentPayload.ts";
import { Problem } from "../../shared/problems.ts";
import { clientIn } from "./rateLimits.ts";

/** Limits of the calls of one payer, or of the transfers to one upload. */
export interface QuotaLimits {
  /** Maximum number of payments in use at a time. Several calls may use the same payment. */
  payments: number;
  /** Maximum number of concurrent calls, including repeated calls that wait for the first call. */
  calls: number;
  /** Maximum work per hour for calls that end uncharged, in milliseconds. */
  unchargedMs: number;
  /** Maximum number of received bytes per hour for calls that end uncharged. */
  unchargedBytes: number;
  /** Time after which a call counts as ended even if its end was not recorded, because its Worker may have died. */
  leaseMs: number;
}

/** The cost of one call: milliseconds of work, and received bytes. */
export interface Spent {
  ms: number;
  bytes: number;
  /**
   * Whether the call got the result of an earlier payment. The first {@link FREE_REPLAYS} such calls of an hour cost
   * nothing.
   */
  isReplay?: boolean;
}

/**
 * Value of the storage key `account`: the uncharged cost in the current hour, and the payments in use. `hourEnds` and
 * `ends` are Unix milliseconds.
 */
interface Account {
  ms: number;
  bytes: number;
  /** Number of free replays in the current hour. */
  replays?: number;
  hourEnds: number;
  /**
   * The use of each payment: the number of concurrent calls, the total size of their bodies in bytes, and the time when
   * the lease of the last call expires.
   */
  inUse: Record<string, { calls: number; bytes: number; ends: number }>;
}

/**
 * Limits on the concurrent uploads of a payer or an address: their number, their total size in bytes, and their
 * lifetime.
 */
export interface UploadLimits {
  slots: number;
  bytes: number;
  /** Lifetime of an upload in milliseconds. */
  ms: number;
}

/** Value of the storage key `slots`: the size and the expiry (Unix milliseconds) of each upload, the oldest first. */
type Slots = readonly { bytes: number; ends: number }[];

const HOUR_MS = 3_600_000;
/**
 * Number of calls per hour that get the result of an earlier payment at no cost. Further such calls use up the quota.
 */
const FREE_REPLAYS = 20;
/** Retry-After in seconds if the caller's concurrent calls use up the quota, so that waiting for their end helps. */
const CALL_SECONDS = 5;

/**
 * The Durable Object that counts the uncharged use of the service by a payer or an address. A paid call counts only
 * while it runs. Separate objects count the uploads of a payer or an address, and the aborted transfers to each upload.
 */
export class Budget extends DurableObject<Env> {
  readonly #storage: RecordStorage;

  constructor(context: DurableObjectState, env: Env) {
    super(context, env);
    this.#storage = recordStorage(context.storage);
  }

  /** Begins a call with a body of `bytes`. Returns the seconds to wait if the quota is used up, else 0. */
  async begin(payment: string, bytes: number, limits: QuotaLimits): Promise<number> {
    const now = Date.now();
    const account = this.#load(now);
    if (account.ms >= limits.unchargedMs || account.bytes >= limits.unchargedBytes)
      return Math.ceil((account.hourEnds - now) / 1000);
    const { [payment]: same, ...others } = account.inUse;
    if (Object.keys(others).length >= limits.payments) return CALL_SECONDS;
    const all = Object.values(account.inUse);
    if (all.reduce((sum, used) => sum + used.calls, 0) >= limits.calls) return CALL_SECONDS;
    const underWay = all.reduce((sum, used) => sum + used.bytes, 0);
    if (underWay > 0 && account.bytes + underWay + bytes > limits.unchargedBytes) return CALL_SECONDS;
    const { calls, bytes: before } = same ?? { calls: 0, bytes: 0 };
    account.inUse[payment] = { calls: calls + 1, bytes: before + bytes, ends: now + limits.leaseMs };
    await this.#save(account);
    return 0;
  }

  /**
   * Ends a call that began with a body of `bytes`, and adds the call's cost to the use of the hour. A charged call
   * costs nothing. If bytes of a charged call were counted earlier, its cost is negative and cancels them.
   */
  async end(payment: string, bytes: number, spent: Spent): Promise<void> {
    const account = this.#load(Date.now());
    const used = account.inUse[payment];
    if (used) {
      used.bytes -= bytes;
      if (--used.calls === 0) delete account.inUse[payment];
    }
    const { replays = 0 } = account;
    if (spent.isReplay && replays < FREE_REPLAYS) return this.#save({ ...account, replays: replays + 1 });
    const total = { ms: account.ms + spent.ms, bytes: Math.max(0, account.bytes + spent.bytes) };
    await this.#save({ ...account, ...total });
  }

  /** Registers an upload of `bytes`. Returns the seconds to wait if the quota is used up, else 0. */
  async registerUpload(bytes: number, limits: UploadLimits): Promise<number> {
    const now = Date.now();
    const { kv } = this.#storage;
    const taken = (kv.get<Slots>("slots") ?? []).filter(({ ends }) => ends > now);
    let [count, sum] = [taken.length + 1, taken.reduce((total, slot) => total + slot.bytes, bytes)];
    let free = now;
    for (const slot of taken) {
      if (count <= limits.slots && sum <= limits.bytes) break;
      [count, sum, free] = [count - 1, sum - slot.bytes, slot.ends];
    }
    if (free > now) return Math.ceil((free - now) / 1000);
    const ends = now + limits.ms;
    kv.put("slots", [...taken, { bytes, ends }]);
    await this.#storage.setAlarm(ends);
    return 0;
  }

  /** Deletes all counts of the object, unless a call is still running or the records are newer than this build. */
  override async alarm(): Promise<void> {
    if (recordVersionOf(this.ctx.storage) > RECORD_VERSION) return this.#storage.setAlarm(Date.now() + HOUR_MS);
    const account = this.#load(Date.now());
    if (Object.keys(account.inUse).length > 0) await this.#storage.setAlarm(Date.now() + HOUR_MS);
    else await this.#storage.deleteAll();
  }

  #load(now: number): Account {
    const kept = this.#storage.kv.get<Account>("account");
    const inUse = Object.entries(kept?.inUse ?? {}).filter(([, { ends }]) => ends > now);
    const { ms, bytes, replays, hourEnds } =
      kept && kept.hourEnds > now ? kept : { ms: 0, bytes: 0, replays: 0, hourEnds: now + HOUR_MS };
    return { ms, bytes, ...(replays && { replays }), hourEnds, inUse: Object.fromEntries(inUse) };
  }

  async #save(account: Account): Promise<void> {
    this.#storage.kv.put("account", account);
    await this.#storage.setAlarm(account.hourEnds);
  }
}

/** A call that counts against a quota. */
interface Counted {
  /** Name of the account that the call counts against. */
  name: string;
  payment: string;
  /** Announced size of the call's body in bytes, or its maximum size if none is announced. */
  bytes: number;
  /**
   * Returns the error message for an exceeded quota. `isUnderWay` is true if running calls use up the quota. The quota
   * becomes free when these calls end.
   */
  refusal(isUnderWay: boolean): string;
}

/** Returns the name of a payer's account. */
export function payerAccount({ authorization }: PaymentPayload): string {
  return `payer:${authorization.from.toLowerCase()}`;
}

/** Returns the account of the address that a request comes from. Returns undefined if this address is not counted. */
export function addressAccount(request: Request): string | undefined {
  const client = clientIn(request);
  return client && `address:${client}`;
}

/**
 * Runs a call within the quota of the account `name`. If the account's Durable Object cannot be reached, there is no
 * limit. The end of the call is recorded in the background, and `later` keeps the Worker alive until then.
 * @param act runs the call. The last value given to `setCost` counts against the quota. Expensive work must wait for
 * `allowed`, which rejects with the Problem too_many_requests if the quota is exceeded.
 */
export async function withinQuota<T>(
  book: DurableObjectNamespace<Budget>,
  { name, payment, bytes, refusal }: Counted,
  limits: QuotaLimits,
  later: (task: Promise<unknown>) => void,
  act: (setCost: (spent: Partial<Spent>) => void, allowed: Promise<void>) => Promise<T>,
): Promise<T> {
  const account = book.getByName(name);
  const allowed = account
    .begin(payment, bytes, limits)
    .catch(() => 0)
    .then((waitSeconds) => refuseFor(waitSeconds, refusal));
  // prevents an unhandled rejection, because `allowed` may reject before `act` awaits it
  allowed.catch(() => undefined);
  const total: Spent = { ms: 0, bytes: 0 };
  try {
    return await act((spent) => Object.assign(total, spent), allowed);
  } finally {
    const end = () => account.end(payment, bytes, total);
    // if recording the end fails, the call counts until its lease expires
    later(allowed.then(end).catch(() => undefined));
  }
}

function refuseFor(waitSeconds: number, refusal: Counted["refusal"]): void {
  if (waitSeconds === 0) return;
  const headers = { "Retry-After": String(waitSeconds) };
  throw new Problem("too_many_requests", refusal(waitSeconds === CALL_SECONDS), { headers });
}

/**
 * Registers an upload of the account `name`. If the account's Durable Object cannot be reached, there is no limit. If
 * the object is overloaded, the upload is rejected.
 * @throws Problem too_many_requests
 */
export async function registerUpload(
  book: DurableObjectNamespace<Budget>,
  name: string,
  bytes: number,
  limits: UploadLimits,
): Promise<void> {
  const waitSeconds = await book
    .getByName(`uploads:${name}`)
    .registerUpload(bytes, limits)
    .catch(({ overloaded }: { overloaded?: boolean }) => (overloaded ? CALL_SECONDS : 0)); // only requests of this account reach the object, so the account itself overloads it
  if (waitSeconds === 0) return;
  const [who, what] = name.startsWith("payer:")
    ? ["This payer", "wait until an upload expires"]
    : ["Your address", "wait until an upload expires, or send a payment along"];
  throw new Problem(
    "too_many_requests",
    `${who} has the maximum number of concurrent uploads: ${limits.slots} with ${limits.bytes} bytes in total. Use one of these uploads, or ${what}.`,
    { headers: { "Retry-After": String(waitSeconds) } },
  );
}
