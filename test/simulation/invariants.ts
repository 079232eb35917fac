import type { Heard, Link, Order } from "./callers.ts";
import type { Payment } from "./chain.ts";
import { MOST_SKEW_MS, type Schedule } from "./simulation.ts";
import type { World } from "./world.ts";

/** What callers may be answered. */
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

/** What the world's faults say of themselves; a Problem is the Worker's own word for one, and has a cause else. */
const FAULT =
  /^(the output \S+ stays: )?(Problem: |(Type)?Error: Network connection lost\.|Error: We encountered an internal error\.|Error: The Durable Object's code has been reset\.|TimeoutError: The operation was aborted due to timeout|SyntaxError: Unexpected (token '<'|end of JSON))/;

/** How long the answer to a look at a link takes, when nothing fails. */
const LONGEST_LOOK_MS = 1000;

/** Returns the rules that a schedule has broken, each with what has broken it. */
export function brokenRules(schedule: Schedule): string[] {
  const { callers, bucket, ledger, budgets, unswept, hasNode, world } = schedule;
  const { orders, strangers } = callers;
  const links = [...callers.links.values()];
  const answers = orders.flatMap((order) => order.answers);
  const broken: string[] = [];
  const rule = <T>(name: string, items: Iterable<T>, isBroken: (item: T) => boolean, show: (item: T) => string) => {
    for (const item of items) if (isBroken(item)) broken.push(`${name}: ${show(item)}`);
  };
  const hasPaid = (payment: Payment) => paidFor(payment, hasNode);
  const isSold = (payment: Payment) => hasPaid(payment) || payment.consumed?.by === "another service";
  const sales = [...ledger.objects.values()]
    .filter(({ name }) => name.startsWith("sales:"))
    .flatMap(({ kv }) => [...kv.values()].map((sale) => (sale as { payment: string }).payment));
  const logText = world.log.join("\n");
  const unproved = ({ key }: Payment) =>
    world.log.some((line) => line.includes('"outcome":"unproved"') && line.includes(key));

  // its facilitator gave no answer until the authorization had ended, and there is no node to ask: its operator is told
  const isUnresolved = ({ key }: Payment) =>
    !hasNode && world.log.some((line) => line.includes('"outcome":"unresolved"') && line.includes(key));

  const groups = [...Map.groupBy(orders, ({ payments }) => payments)].map(([payments, made]) => {
    const given = links.filter(({ order }) => made.includes(order));
    const booked = payments.filter(({ key }) => sales.includes(key));
    return { payments, made, given, booked, key: made[0]!.ownKey };
  });
  const shown = ({ made }: (typeof groups)[number]) => made.map(showOrder).join("; and ");

  rule(
    "results given <= payments moved",
    groups,
    ({ payments, given }) => given.length > payments.filter((one) => isSold(one) || unproved(one)).length,
    shown,
  );
  rule(
    "one payment buys one result",
    groups,
    ({ payments, given }) => payments.length === 1 && given.length > 1,
    shown,
  );
  rule("under one key, one result", groups, ({ key, given }) => key !== undefined && given.length > 1, shown);
  rule(
    "and one payment",
    groups,
    ({ key, payments }) => key !== undefined && payments.filter((one) => hasPaid(one) && !one.doubled).length > 1,
    shown,
  );
  rule(
    "a payment that has moved has its result",
    groups,
    ({ payments, made }) =>
      payments.some((one) => hasPaid(one) && !one.doubled && !isUnresolved(one)) && !made.some(hasResult),
    shown,
  );
  rule(
    "the books have each sale once",
    groups,
    ({ payments }) => payments.some(({ key }) => sales.filter((sale) => sale === key).length > 1),
    shown,
  );
  rule("and no other", groups, ({ booked }) => !booked.every((one) => isSold(one) || unproved(one)), shown);
  rule("and lack none", groups, ({ given, booked }) => booked.length < given.length, shown);
  rule(
    "who has paid is not asked to pay",
    answers,
    ({ isFinal, payment, status }) => isFinal && status === 402 && hasPaid(payment) && !payment.doubled,
    showAnswer,
  );
  rule(
    "a result is what was asked for",
    links,
    ({ looks }) => looks.some((look) => look.status === 200 && !look.isRight),
    showLink,
  );
  rule("no link works past its end", links, worksPastEnd, showLink);
  rule("a link works until its end", links, (link) => endsEarly(link, schedule), showLink);
  rule(
    "strangers get nothing",
    strangers,
    ({ answer, payment }) => answer.status === 200 && !payment?.doubled,
    ({ answer }) => String(answer.status),
  );
  rule(
    "an upload slot takes one file",
    callers.takenTwice,
    () => true,
    (handle) => handle,
  );
  const hasFailed = (key: string) => [...bucket.failed].some((failed) => key.startsWith(failed)); // or its slot's record
  const isUntouched = world.deaths === 0 && ledger.failures === 0;
  rule(
    "a file has an owner when its call is over",
    isUntouched ? schedule.keptWhenCalm : [],
    (key) => !schedule.ownedWhenCalm.has(key) && !hasFailed(key),
    (key) => key,
  );
  rule("and memory is given back", isUntouched ? [schedule.heldWhenCalm] : [], (held) => held > 0, String);
  rule(
    "a sweep leaves nothing that is over",
    unswept,
    () => true,
    (key) => key,
  );
  rule(
    "in the end nothing is kept",
    bucket.objects.keys(),
    () => true,
    (key) => key,
  );
  rule(
    "nor remembered, but the books",
    [...ledger.objects.values(), ...budgets.objects.values()],
    ({ name, kv }) => kv.size > 0 && !name.startsWith("sales:"),
    ({ name, kv }) => `${name} has ${[...kv.keys()]}`,
  );
  rule(
    "no secret is logged",
    secretsOf(schedule),
    (secret) => logText.includes(secret),
    (secret) => lineWith(secret, world.log),
  );
  rule(
    "answers are the expected ones",
    answers,
    ({ lost, status, code }) => !lost && !ANSWERS.has(`${status} ${code}`.trim()),
    showAnswer,
  );
  rule("calls are answered", answers, ({ isFinal, lost }) => isFinal && lost, showAnswer);
  const honest = groups.flatMap(({ made }) => (made.length === 1 ? made[0]!.answers : []));
  rule(
    "what is paid for is given, where nothing fails",
    honest,
    (heard) => mustSell(heard) && !isServed(heard, isUnresolved),
    showAnswer,
  );
  rule("and an upload taken in", callers.refusedUploads, () => true, String);
  rule("nothing fails but what was let fail", errorsOf(world), (error) => !FAULT.test(error), String);
  return broken;
}

/** Whether a payment has moved for us: by a stranger's doing only a node can tell. */
function paidFor({ consumed }: Payment, hasNode: boolean): boolean {
  return consumed?.by === "us" || (hasNode && consumed?.by === "a stranger");
}

/** Whether a call must be sold what it asks for: nothing has failed since its order was made, or its payment. */
function mustSell({ isUndisturbed, isFinal, isFresh }: Heard): boolean {
  return isUndisturbed || (isFinal && isFresh);
}

/**
 * Whether an honest call got what it had to get. In the end, or where the work takes too long, its payment may have ended, its
 * link by its holder, and its payer may have had too much done that was not charged.
 */
function isServed(heard: Heard, isUnresolved: (payment: Payment) => boolean): boolean {
  const { order, status, code, isFinal, isFresh } = heard;
  const before = order.answers.slice(0, order.answers.indexOf(heard));
  const isLate = isFinal || order.isSlow;
  if (isLate && status === 402) return !isFresh && !before.some(({ link }) => link);
  if (isLate && status === 429) return true;
  if (order.isSlow && (code === "payment_in_progress" || code === "settlement_pending")) return true;
  // others may yet have one before it moved, or nobody can tell whether it was: its payer had better not pay again
  if (code === "settlement_pending")
    return order.payments.some((one) => (one.isPublic && !one.consumed) || isUnresolved(one));
  if (order.isDamaged) return code === "damaged_pdf";
  return status === 200 || order.answers.some(({ link }) => link?.ending !== undefined);
}

/** Returns the errors that the Worker has logged, and those that its objects and its sweep have thrown. */
function errorsOf({ log, thrown }: World): string[] {
  const logged = log
    .filter((line) => line.includes('"error":'))
    .map((line) => (JSON.parse(line) as { error: string }).error);
  return [...logged, ...thrown.map(String)];
}

/**
 * Whether the payer has the result of an order, in the end: the link was given again, or was ended by its holder, or it is
 * to be asked for later, since the payer's address has had too much done that was not charged.
 */
function hasResult({ answers }: Order): boolean {
  const isGiven = ({ isFinal, status }: Heard) => isFinal && (status === 200 || status === 429);
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

/** Returns what no line of the log may have in it. */
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
  return `of ${order.text}, ${ending ? "ended by its holder, " : ""}seen ${seen.join(", ")} ms from its end`;
}
