import { DurableObject } from "cloudflare:workers";
import type { PaymentPayload } from "../../payments/wire/paymentPayload.ts";
import { Problem } from "../../shared/problems.ts";
import { clientIn } from "./rateLimits.ts";

/** What a payer, or an upload slot, may have of this service without paying for it. */
export interface BudgetLimits {
  /** Payments in use at the same time: all calls with one payment have one work. */
  payments: number;
  /** Calls under way with all of them: those who wait send one again, and again. */
  calls: number;
  /** For an hour: milliseconds of work, and bytes taken in, of calls that were not charged in the end. */
  unchargedMs: number;
  unchargedBytes: number;
  /** A call that has not ended by then is over: its Worker died. */
  leaseMs: number;
}

/** What one call has cost. */
export interface Spent {
  ms: number;
  bytes: number;
}

/** The storage key `account`. Points in time are Unix milliseconds. */
interface Account extends Spent {
  hourEnds: number;
  /** By payment: how many calls with it are under way, the bytes of their bodies, and when they end at the latest. */
  inUse: Record<string, { calls: number; bytes: number; ends: number }>;
}

/** How many upload slots a payer, or an address, has at the same time, and how many bytes they take together. */
export interface SlotLimits {
  slots: number;
  bytes: number;
  /** How long each lasts. */
  ms: number;
}

/** The storage key `slots`, oldest first: what each takes, and when it ends (Unix milliseconds). */
type Slots = readonly { bytes: number; ends: number }[];

const HOUR_MS = 3_600_000;
/** How long to wait for one's own calls to end. */
const CALL_SECONDS = 5;

/**
 * The Durable Object that counts what a payer, or an address, has of the service without paying for it. Paid calls count
 * only while they run. Upload slots are counted in objects of their own, and so is what is sent to each in vain.
 */
export class Budget extends DurableObject<Env> {
  /** Begins a call with a body of so many bytes. Returns how many seconds to wait if the budget is used up, else 0. */
  async begin(payment: string, bytes: number, limits: BudgetLimits): Promise<number> {
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

  /** Ends a call that has begun with so many bytes; `spent` counts if it was not charged. */
  async end(payment: string, bytes: number, spent: Spent): Promise<void> {
    const account = this.#load(Date.now());
    const used = account.inUse[payment];
    if (used) {
      used.bytes -= bytes;
      if (--used.calls === 0) delete account.inUse[payment];
    }
    const total = { ms: account.ms + spent.ms, bytes: Math.max(0, account.bytes + spent.bytes) };
    await this.#save({ ...account, ...total });
  }

  /** Takes a slot of so many bytes. Returns how many seconds to wait if there is none left, else 0. */
  async takeSlot(bytes: number, limits: SlotLimits): Promise<number> {
    const now = Date.now();
    const { kv } = this.ctx.storage;
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
    await this.ctx.storage.setAlarm(ends);
    return 0;
  }

  /** Forgets an hour that is over, or slots that have all ended. */
  override async alarm(): Promise<void> {
    const account = this.#load(Date.now());
    if (Object.keys(account.inUse).length > 0) await this.ctx.storage.setAlarm(Date.now() + HOUR_MS);
    else await this.ctx.storage.deleteAll();
  }

  #load(now: number): Account {
    const kept = this.ctx.storage.kv.get<Account>("account");
    const inUse = Object.entries(kept?.inUse ?? {}).filter(([, { ends }]) => ends > now);
    const hour = kept && kept.hourEnds > now ? kept : { ms: 0, bytes: 0, hourEnds: now + HOUR_MS };
    return { ms: hour.ms, bytes: hour.bytes, hourEnds: hour.hourEnds, inUse: Object.fromEntries(inUse) };
  }

  async #save(account: Account): Promise<void> {
    this.ctx.storage.kv.put("account", account);
    await this.ctx.storage.setAlarm(account.hourEnds);
  }
}

/** A call as it is counted. */
interface Counted {
  /** Of the account. */
  name: string;
  payment: string;
  /** Of its body. */
  bytes: number;
  /** What is told if the budget is used up; `isUnderWay` if only until other calls have ended. */
  refusal(isUnderWay: boolean): string;
}

/** Returns the name of a payer's account. */
export function payerAccount({ authorization }: PaymentPayload): string {
  return `payer:${authorization.from.toLowerCase()}`;
}

/** Returns the name of the account of a request's address; undefined if nothing is counted there. */
export function addressAccount(request: Request): string | undefined {
  const client = clientIn(request);
  return client && `address:${client}`;
}

/**
 * Does a call within the budget of `name`; while that cannot be reached, there is none. Nobody waits for the budget to hear
 * that the call has ended: `later` keeps the Worker alive for that.
 * @param act tells by `spend` what the call has cost without being charged for it; may be begun with what costs little
 * until `allowed`, which fails with the Problem too_many_requests
 */
export async function withinBudget<T>(
  book: DurableObjectNamespace<Budget>,
  { name, payment, bytes, refusal }: Counted,
  limits: BudgetLimits,
  later: (task: Promise<unknown>) => void,
  act: (spend: (spent: Spent) => void, allowed: Promise<void>) => Promise<T>,
): Promise<T> {
  const account = book.getByName(name);
  const allowed = account
    .begin(payment, bytes, limits)
    .catch(() => 0)
    .then((waitSeconds) => refuseFor(waitSeconds, refusal));
  allowed.catch(() => undefined); // it can fail before `act` waits for it
  const total: Spent = { ms: 0, bytes: 0 };
  try {
    return await act((spent) => Object.assign(total, spent), allowed);
  } finally {
    const end = () => account.end(payment, bytes, total);
    later(allowed.then(end).catch(() => undefined)); // its lease ends anyway
  }
}

function refuseFor(waitSeconds: number, refusal: Counted["refusal"]): void {
  if (waitSeconds === 0) return;
  const headers = { "Retry-After": String(waitSeconds) };
  throw new Problem("too_many_requests", refusal(waitSeconds === CALL_SECONDS), { headers });
}

/**
 * Takes an upload slot of `name`; while its budget cannot be reached, there is no limit, unless it is asked too often.
 * @throws Problem too_many_requests
 */
export async function takeSlot(
  book: DurableObjectNamespace<Budget>,
  name: string,
  bytes: number,
  limits: SlotLimits,
): Promise<void> {
  const waitSeconds = await book
    .getByName(`uploads:${name}`)
    .takeSlot(bytes, limits)
    .catch(({ overloaded }: { overloaded?: boolean }) => (overloaded ? CALL_SECONDS : 0)); // by the one it counts
  if (waitSeconds === 0) return;
  const [who, what] = name.startsWith("payer:")
    ? ["This payer", "or wait until one ends"]
    : ["Your address", "wait until one ends, or send a payment along"];
  throw new Problem(
    "too_many_requests",
    `${who} has as many uploads as it may at the same time: ${limits.slots}, of ${limits.bytes} bytes together. Use one again, ${what}.`,
    { headers: { "Retry-After": String(waitSeconds) } },
  );
}
