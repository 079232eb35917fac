import autocannon from "autocannon";
import { generatePrivateKey } from "viem/accounts";
import { type Offer, signPayment } from "../scripts/lib/pay.ts";
import { FORM, TEXT, termsOf, upload } from "./attacks.ts";
import { INPUTS } from "./inputs.ts";
import type { LimitedWorker } from "./limitedWorker.ts";
import type { Facilitator } from "./startFacilitator.ts";

/**
 * Private keys of the payers. The payers outnumber the concurrent calls, so that the limits of a single payer do not
 * apply.
 */
const PAYERS = Array.from({ length: 64 }, generatePrivateKey);
const BODY = upload(INPUTS.a.make());
const TIMEOUT_SECONDS = 120;

/** The outcome of paid calls at one level of concurrency. */
export interface Load {
  connections: number;
  /** Calls that returned a result, in total and per second. */
  results: number;
  perSecond: number;
  /** Durations of the calls that returned a result; null if no call did. */
  p50Ms: number | null;
  p99Ms: number | null;
  /** Number of calls that were refused with `Retry-After`, by status and code. Nothing is charged for these calls. */
  busy: Record<string, number>;
  /** Number of calls that failed without `Retry-After` or got no answer, by reason. */
  failed: Record<string, number>;
  /** Number of payments that settled although their call returned no result, even after it was repeated. */
  lost: number;
  /** Peak memory of the isolate's objects and array buffers, in MB. */
  heapMb: number;
  /** Memory of workerd at the end, in MB, including the simulated R2 and Durable Objects. */
  residentMb: number;
}

/** A payment for one call, and the call's idempotency key. */
interface Ticket {
  nonce: string;
  headers: Record<string, string>;
}

/**
 * Signs payments in advance, because signing would distort the measurement. The payments are distributed evenly over
 * many payers.
 */
async function sign(terms: Offer, count: number): Promise<Ticket[]> {
  const tickets: Ticket[] = [];
  for (let index = 0; index < count; index++) {
    const payment = await signPayment(terms, PAYERS[index % PAYERS.length]!);
    const { payload } = JSON.parse(atob(payment)) as { payload: { authorization: { nonce: string } } };
    const headers = { ...FORM, "X-PAYMENT": payment, "Idempotency-Key": crypto.randomUUID() };
    tickets.push({ nonce: payload.authorization.nonce, headers });
  }
  return tickets;
}

const count = (counts: Record<string, number>, name: string, by = 1) => {
  if (by > 0) counts[name] = (counts[name] ?? 0) + by;
};

/**
 * Sends paid calls, `connections` at a time. Each call uploads a file of 10 pages. Compares the results with the
 * payments that the facilitator has settled.
 */
export async function drive(
  worker: LimitedWorker,
  facilitator: Facilitator,
  { connections, calls }: { connections: number; calls: number },
): Promise<Load> {
  const terms = await termsOf(worker);
  // the list includes spare payments for calls whose connection breaks
  const unused = await sign(terms, calls + 2 * connections);
  const sent: Ticket[] = [];
  const given = new Set<string>();
  const busy: Record<string, number> = {};
  const failed: Record<string, number> = {};
  const times: number[] = [];
  await facilitator.settled();
  worker.heapPeakMb();

  const began = performance.now();
  const { errors, timeouts } = await autocannon({
    ...{ url: worker.url, connections, amount: calls, timeout: TIMEOUT_SECONDS },
    setupClient: (client) =>
      void client.on("response", (status, _, ms) => {
        if (status === 200) times.push(ms);
      }),
    requests: [
      {
        ...{ method: "POST", path: TEXT, body: BODY },
        setupRequest(request, context) {
          const ticket = unused.pop()!;
          sent.push(ticket);
          Object.assign(context, ticket);
          return { ...request, headers: ticket.headers };
        },
        onResponse(status, body, context, headers = {}) {
          if (status === 200) return void given.add((context as Ticket).nonce);
          const isTold =
            [429, 503].includes(status) && Object.keys(headers).some((name) => /^retry-after$/i.test(name));
          count(isTold ? busy : failed, `${status} ${codeOf(body)}`);
        },
      },
    ],
  });
  const seconds = (performance.now() - began) / 1000;
  const [heapMb, residentMb] = [worker.heapPeakMb(), await worker.residentMb()];
  count(failed, "no answer in time", timeouts);
  count(failed, "connection lost", errors - timeouts);

  const settled = new Set(await facilitator.settled());
  const unanswered = sent.filter(({ nonce }) => settled.has(nonce) && !given.has(nonce));
  let lost = 0;
  for (const { headers } of unanswered) {
    const { ok } = await fetch(worker.url + TEXT, { method: "POST", headers, body: BODY });
    if (!ok) lost++;
  }
  const unpaid = [...given].filter((nonce) => !settled.has(nonce)).length;
  count(failed, "result without a payment", unpaid);

  times.sort((a, b) => a - b);
  const quantile = (share: number) => times[Math.min(times.length - 1, Math.floor(share * times.length))] ?? null;
  return {
    connections,
    results: times.length,
    perSecond: times.length / seconds,
    ...{ p50Ms: quantile(0.5), p99Ms: quantile(0.99) },
    ...{ busy, failed, lost, heapMb, residentMb },
  };
}

/** Returns the code of a problem, or the first characters of any other body. */
function codeOf(body: string): string {
  try {
    return (JSON.parse(body) as { code: string }).code;
  } catch {
    return body.slice(0, 40);
  }
}
