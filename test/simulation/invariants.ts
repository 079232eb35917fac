import { REPEAT_MS } from "../../src/payments/sale/defaultKey.ts";
import type { Heard, Order } from "./callers.ts";
import type { Payment } from "./chain.ts";
import type { Link } from "./links.ts";
import { MOST_SKEW_MS, type Schedule } from "./simulation.ts";
import type { World } from "./world.ts";

/** The answers that callers may receive, each with the HTTP status and the problem code. */
export const ANSWERS: ReadonlySet<string> = new Set([
  "200",
  "402 payment_required",
  "408 body_timeout",
  "409 payment_already_used",
  "422 damaged_pdf",
  "422 idempotency_key_reused",
  "429 too_many_requests",
  "500 internal_error",
  "502 source_unreachable",
  "503 facilitator_unavailable",
  "503 payment_in_progress",
  "503 settlement_pending",
  "504 source_timeout",
]);

/** Matches the errors that simulated faults cause. The Worker itself reports some of these faults as a `Problem`. */
const FAULT =
  /^(the output \S+ stays: )?(Problem: |(Type)?Error: Network connection lost\.|Error: We encountered an internal error\.|Error: The specified multipart upload does not exist\.|Error: One or more of the specified parts could not be found\.|Error: The Durable Object's code has been reset\.|TimeoutError: The operation was aborted due to timeout|the answer is not JSON$|SyntaxError: Unexpected (token '<'|end of JSON))/;

/**
 * Maximum time from a settlement request to the transaction, in milliseconds. Without a node, the service may rely on a
 * facilitator's answer that precedes the transaction. The ten minutes for repeating a result then begin too early.
 */
const LATEST_MS = 80_000;

/** Maximum duration of a link request without faults, in milliseconds. */
const LONGEST_LOOK_MS = 1000;

/** Returns the rules that a schedule has violated, each with the item that violates it. */
export function brokenRules(schedule: Schedule): string[] {
  const { callers, bucket, ledger, budgets, unswept, hasNode, world } = schedule;
  const { orders, strangers } = callers;
  const links = callers.links.all;
  const answers = orders.flatMap((order) => order.answers);
  const broken: string[] = [];
  const rule = <T>(name: string, items: Iterable<T>, isBroken: (item: T) => boolean, show: (item: T) => string) => {
    for (const item of items) if (isBroken(item)) broken.push(`${name}: ${show(item)}`);
  };
  const hasPaid = (payment: Payment) => paidFor(payment, hasNode);
  const isSold = (payment: Payment) => hasPaid(payment) || payment.consumed?.by === "another service";
  const sales = [...ledger.objects.values()]
    .filter(({ name }) => name.startsWith("sales:"))
    .flatMap(({ kv }) => [...kv].filter(([key]) => key !== "version"))
    .map(([, sale]) => (sale as { payment: string }).payment);
  const logText = world.log.join("\n");
  const unproved = ({ key }: Payment) =>
    world.log.some((line) => line.includes('"outcome":"unproved"') && line.includes(key));

  // Returns whether only the operator can resolve a payment. This occurs without a node if the facilitator gives no
  // conclusive answer before the authorization expires.
  const isUnresolved = ({ key }: Payment) =>
    !hasNode && world.log.some((line) => line.includes('"outcome":"unresolved"') && line.includes(key));

  const groups = [...Map.groupBy(orders, ({ payments }) => payments)].map(([payments, made]) => {
    const given = links.filter(({ order }) => made.some((one) => one === order));
    const booked = payments.filter(({ key }) => sales.includes(key));
    return { payments, made, given, booked, key: made[0]!.ownKey };
  });
  const shown = ({ made }: (typeof groups)[number]) => made.map(showOrder).join("; and ");

  // Returns whether the payments of an order have bought the result of another order instead.
  const hasBoughtOther = (order: Order) =>
    orders.some((other) => other !== order && other.payments === order.payments && hasResult(other));

  rule(
    "no more results are delivered than payments were transferred or accepted without proof",
    groups,
    ({ payments, given }) => given.length > payments.filter((one) => isSold(one) || unproved(one)).length,
    shown,
  );
  rule(
    "one payment buys at most one result",
    groups,
    ({ payments, given }) => payments.length === 1 && given.length > 1,
    shown,
  );
  rule("a key has at most one result", groups, ({ key, given }) => key !== undefined && given.length > 1, shown);
  rule(
    "at most one payment settles under a key",
    groups,
    ({ key, payments }) => key !== undefined && payments.filter((one) => hasPaid(one) && !one.doubled).length > 1,
    shown,
  );
  rule(
    "without a key, at most one payment settles for a payer's content within ten minutes",
    groups,
    ({ key, payments, made, given }) =>
      key === undefined &&
      isOneContent(made) &&
      given.every(({ ending }) => ending === undefined) && // content is sold again after its link was revoked
      areClose(
        payments.filter((one) => hasPaid(one) && !one.doubled),
        hasNode,
      ),
    shown,
  );
  rule(
    "a settled payment has bought its result",
    groups,
    ({ payments, made }) =>
      payments.some((one) => hasPaid(one) && !one.doubled && !isUnresolved(one)) && !made.some(hasResult),
    shown,
  );
  rule(
    "the daybooks contain each sale at most once",
    groups,
    ({ payments }) => payments.some(({ key }) => sales.filter((sale) => sale === key).length > 1),
    shown,
  );
  rule(
    "the daybooks contain only sales",
    groups,
    ({ booked }) => !booked.every((one) => isSold(one) || unproved(one)),
    shown,
  );
  rule("the daybooks contain every sale", groups, ({ given, booked }) => booked.length < given.length, shown);
  rule(
    "a payer who has paid gets no 402, except for another request",
    answers,
    ({ isFinal, order, payment, status }) =>
      isFinal && status === 402 && hasPaid(payment) && !payment.doubled && !hasBoughtOther(order),
    showAnswer,
  );
  rule(
    "a delivered result belongs to the request",
    links,
    ({ looks }) => looks.some((look) => look.status === 200 && !look.isRight),
    showLink,
  );
  rule("no link works after its expiry or revocation", links, worksPastEnd, showLink);
  rule("a link works until it expires", links, (link) => endsEarly(link, schedule), showLink);
  rule(
    "strangers get nothing",
    strangers,
    ({ answer, payment }) => answer.status === 200 && !payment?.doubled,
    ({ answer }) => String(answer.status),
  );
  rule(
    "an upload accepts only one file",
    callers.takenTwice,
    () => true,
    (handle) => handle,
  );
  // A file's write also counts as failed if writing its upload's record failed. The file's key begins with the record's
  // key.
  const hasFailed = (key: string) => [...bucket.failed].some((failed) => key.startsWith(failed));
  const isUntouched = world.deaths === 0 && ledger.failures === 0;
  rule(
    "after all calls, every stored file belongs to a payment's result or to an upload",
    isUntouched ? schedule.keptWhenCalm : [],
    (key) => !key.startsWith("channels/") && !schedule.ownedWhenCalm.has(key) && !hasFailed(key),
    (key) => key,
  );
  rule("all shared memory is released", isUntouched ? [schedule.heldWhenCalm] : [], (held) => held > 0, String);
  rule(
    "a sweep deletes everything that has expired",
    unswept,
    () => true,
    (key) => key,
  );
  rule(
    "at the end no file is stored, except the last vouchers of channels",
    bucket.objects.keys(),
    (key) => !key.startsWith("channels/"),
    (key) => key,
  );
  rule(
    "at the end no multipart upload of R2 is unfinished",
    isUntouched ? bucket.unfinished.values() : [],
    ({ key }) => !hasFailed(key) && !hasFailed(`${key.slice(0, key.lastIndexOf("-"))}-parts`),
    ({ key }) => key,
  );
  rule(
    "at the end no record is stored, except in daybooks and channels",
    [...ledger.objects.values(), ...budgets.objects.values()],
    ({ name, kv }) => kv.size > 0 && !/^(sales|channel):/.test(name),
    ({ name, kv }) => `${name} has ${[...kv.keys()]}`,
  );
  rule(
    "no secret is logged",
    secretsOf(schedule),
    (secret) => logText.includes(secret),
    (secret) => lineWith(secret, world.log),
  );
  rule(
    "every answer has an allowed status and code",
    answers,
    ({ lost, status, code }) => !lost && !ANSWERS.has(`${status} ${code}`.trim()),
    showAnswer,
  );
  rule("calls are answered", answers, ({ isFinal, lost }) => isFinal && lost, showAnswer);
  const honest = groups.flatMap(({ made }) => (made.length === 1 ? made[0]!.answers : []));
  rule(
    "without faults, a paid call gets its result",
    honest,
    (heard) => mustSell(heard) && !isServed(heard, isUnresolved),
    showAnswer,
  );
  rule("without faults, an upload is accepted", callers.refusedUploads, () => true, String);
  rule("every logged error has a simulated fault as its cause", errorsOf(world), (error) => !FAULT.test(error), String);
  return broken;
}

/**
 * Returns whether the service can know that the money of a payment has arrived. Without a node, the service does not
 * see a transfer that a stranger submitted.
 */
function paidFor({ consumed }: Payment, hasNode: boolean): boolean {
  return consumed?.by === "us" || (hasNode && consumed?.by === "a stranger");
}

/** Returns whether all orders are for the same text and the same file. */
function isOneContent([first, ...others]: Order[]): boolean {
  return others.every(({ text, file }) => text === first!.text && Buffer.from(file).equals(first!.file));
}

/** Returns whether two of these payments were settled within the time for which the service repeats a result. */
function areClose(payments: Payment[], hasNode: boolean): boolean {
  const times = payments.map(({ consumed }) => consumed!.at).toSorted((a, b) => a - b);
  return times.some((at, i) => i > 0 && at - times[i - 1]! < REPEAT_MS - 2 * MOST_SKEW_MS - (hasNode ? 0 : LATEST_MS));
}

/**
 * Returns whether a call must succeed, because no fault has occurred since its order was made or its payment was
 * signed.
 */
function mustSell({ isUndisturbed, isFinal, isFresh }: Heard): boolean {
  return isUndisturbed || (isFinal && isFresh);
}

/**
 * Returns whether the answer to an honest payer's call is correct. In the calm period or after slow work, a refusal is
 * also correct for an expired payment, a revoked link, or a used-up allowance for failed calls.
 */
function isServed(heard: Heard, isUnresolved: (payment: Payment) => boolean): boolean {
  const { order, status, code, isFinal, isFresh, isTooLate } = heard;
  if (status === 402 && isTooLate) return true;
  const before = order.answers.slice(0, order.answers.indexOf(heard));
  const isLate = isFinal || order.isSlow;
  if (isLate && status === 402) return !isFresh && !before.some(({ link }) => link);
  if (isLate && status === 429) return true;
  if (order.isSlow && (code === "payment_in_progress" || code === "settlement_pending")) return true;
  // The payment's money may still move, or the outcome is unknown, so the payer must not pay again.
  if (code === "settlement_pending")
    return order.payments.some((one) => (one.isPublic && !one.consumed) || isUnresolved(one));
  if (order.isDamaged) return code === "damaged_pdf";
  return status === 200 || order.answers.some(({ link }) => link?.ending !== undefined);
}

/** Returns the errors that the Worker has logged or that Durable Objects and the sweep have thrown. */
function errorsOf({ log, thrown }: World): string[] {
  const logged = log
    .filter((line) => line.includes('"error":'))
    .map((line) => (JSON.parse(line) as { error: string }).error);
  return [...logged, ...thrown.map(String)];
}

/**
 * Returns whether a payer's order has ended correctly. Either the link was delivered again, or the holder has revoked
 * it, or the IP address has used up its allowance for failed calls. If the deployment's clock is ahead, a new payment
 * may also be refused as expired.
 */
function hasResult({ answers }: Order): boolean {
  const isGiven = ({ isFinal, status, isTooLate }: Heard) =>
    isFinal && (status === 200 || status === 429 || (status === 402 && isTooLate));
  return answers.some((answer) => isGiven(answer) || answer.link?.ending !== undefined);
}

function worksPastEnd({ looks, expires, ended }: Link): boolean {
  return looks.some(
    ({ at, status }) => status === 200 && (at >= expires + MOST_SKEW_MS || (ended !== undefined && at >= ended)),
  );
}

function endsEarly({ looks, expires, ending }: Link, { calmAt }: Schedule): boolean {
  return looks.some(
    ({ at, status }) =>
      status !== 200 &&
      at < expires - MOST_SKEW_MS - LONGEST_LOOK_MS &&
      ending === undefined &&
      (status !== 500 || at > calmAt),
  );
}

/** Returns the secrets that no log line may contain. */
function secretsOf({ world, callers, chain }: Schedule): string[] {
  const keys = callers.orders.flatMap(({ ownKey, key }) => [ownKey, key].filter((one) => one !== undefined));
  return [
    ...world.tokens,
    ...keys,
    ...callers.handles,
    ...chain.payments.map(({ signature }) => signature.slice(2, 66)),
  ];
}

function lineWith(secret: string, log: readonly string[]): string {
  return log.find((line) => line.includes(secret))!;
}

function showOrder({ text, way, ownKey, payments, answers }: Order): string {
  const paid = payments.map(
    ({ nonce, consumed, doubled }) => `${Number(nonce)} ${consumed?.by}${doubled ? " doubled" : ""}`,
  );
  return `${text} by ${way}${ownKey ? " with a key" : ""}, paid with ${paid.join(", ")}; ${answers.map(showAnswer).join(", ")}`;
}

function showAnswer({ status, code, isFinal, payment, lost }: Heard): string {
  return `${isFinal ? "final " : ""}${lost ? "lost" : `${status} ${code}`} (payment ${Number(payment.nonce)})`;
}

function showLink({ order, expires, ending, looks }: Link): string {
  const seen = looks.map(({ at, status, isRight }) => `${at - expires}: ${status}${isRight ? "" : " wrong"}`);
  return `the link of ${order.text}${ending ? " (revoked by its holder)" : ""}, requested at ${seen.join(", ")} (ms from its expiry)`;
}
