import { describe, expect, test, vi } from "vitest";
import type { Evidence } from "../../../src/payments/chain/chain.ts";
import type { Settlement } from "../../../src/payments/facilitators/facilitator.ts";
import { LedgerEntry } from "../../../src/payments/ledger/ledgerEntry.ts";
import {
  alarmDueAt,
  backoffMs,
  conclude,
  concludeExposed,
  type Entry,
  type PaymentStatus,
} from "../../../src/payments/ledger/record.ts";
import { paymentFrom } from "../payments.ts";

const T = 2_000_000_000_000;
const MINUTE = 60_000;
const DAY = 86_400_000;
/** An account of the facilitator. */
const SIGNER = "0xf0";
const payment = await paymentFrom({ validBefore: T / 1000 + 300 });
const call = { fingerprint: "request", payment, facilitator: "stub", signers: [] as string[], requestId: "test" };
const work = { value: '"work"', output: "output", expiresAt: T + DAY };

describe("what a facilitator's answer proves", () => {
  const told = (outcome: "used" | "reverted" | "simulated" | "unsent" | "refused" | "unprocessed") => ({
    outcome,
    reason: "why",
  });
  const settled = { outcome: "settled", transaction: "0x1" } as const;
  const settling = (doubt: boolean) =>
    ({ ...call, state: "settling", work, attempts: 1, doubt, firstAsked: T, nextAt: T, transaction: "0x7" }) as const;

  test.each<[Settlement | Evidence, string, string]>([
    [settled, "settled 0x1", "settled 0x1"],
    [told("used"), "burned why", "unproved 0x7"],
    [told("reverted"), "burned why", "unproved 0x7"],
    [told("simulated"), "refused why", "unproved 0x7"],
    [told("unsent"), "burned why", "unproved 0x7"],
    [told("refused"), "refused why", "retry 0x7, in doubt"],
    [told("unprocessed"), "retry 0x7", "retry 0x7, in doubt"],
    [{ outcome: "unknown" }, "retry 0x7, in doubt", "retry 0x7, in doubt"],
    [{ outcome: "unknown", transaction: "0x8" }, "retry 0x8, in doubt", "retry 0x8, in doubt"],
    [{ outcome: "lost", reason: "why" }, "refused why", "refused why"],
  ])("%j: %s; in doubt: %s", (answer, first, inDoubt) => {
    const meaning = (doubt: boolean, now: number) => {
      const concluded = conclude(settling(doubt), answer, now, false);
      const what = "reason" in concluded ? concluded.reason : concluded.transaction;
      return `${concluded.conclusion} ${what}${"doubt" in concluded && concluded.doubt ? ", in doubt" : ""}`;
    };
    expect(meaning(false, T)).toBe(first);
    expect(meaning(true, T)).toBe(inDoubt);
    expect(meaning(true, T + DAY), "however late").toBe(inDoubt);
  });

  test.each([
    [told("used"), "exposed", "burned"],
    [told("reverted"), "exposed", "burned"],
    [told("simulated"), "refused", "refused"],
    [told("unsent"), "retry", "retry"],
    [told("refused"), "refused", "refused"],
  ] as const)("%j, with a node: %s; from a facilitator that names no account: %s", (answer, named, not) => {
    const concluded = (signers: string[]) => conclude({ ...settling(false), signers }, answer, T, true).conclusion;
    expect([concluded([SIGNER]), concluded([])]).toEqual([named, not]);
  });

  test("what nobody has processed is given up when the authorization has run out", () => {
    expect(conclude(settling(false), told("unprocessed"), T + 5 * MINUTE, false)).toEqual({
      conclusion: "refused",
      reason: "why",
    });
  });
});

test.each<[Evidence | undefined, object | undefined]>([
  [undefined, undefined],
  [
    { outcome: "settled", transaction: "0x1", sender: "0x57" },
    { conclusion: "settled", transaction: "0x1" },
  ],
  [
    { outcome: "settled", transaction: "0x1", sender: SIGNER },
    { conclusion: "burned", reason: expect.stringContaining("another service") },
  ],
  [
    { outcome: "lost", reason: "why" },
    { conclusion: "burned", reason: "why" },
  ],
])("what the chain shows of an exposed payment, %j, proves %j", (found, expected) => {
  expect(concludeExposed({ ...call, signers: ["0xf1", SIGNER] }, found)).toEqual(expected);
});

test("attempts to settle grow rarer: two seconds, doubled, to a minute, and to an hour after twelve", () => {
  expect([1, 2, 3, 5, 6, 12, 13, 20].map(backoffMs)).toEqual([
    2000, 4000, 8000, 32_000, 60_000, 60_000, 3_600_000, 3_600_000,
  ]);
});

/** A record in a world with a clock of its own, where the facilitator answers as told, without a node of the chain. */
const world = (...answers: (Settlement | Promise<Settlement>)[]) => worldWith(undefined, ...answers);
/** The same, where the chain shows what `evidence` returns. */
function worldWith(
  evidence: (() => Promise<Evidence | undefined>) | undefined,
  ...answers: (Settlement | Promise<Settlement>)[]
) {
  const seen = {
    ...{ settled: 0, discarded: [] as string[], logged: [] as unknown[], now: T, listed: Promise.resolve() },
    ...{ booked: [] as number[], bookAnswers: true, evidence, keeps: true, trusts: true },
    sleep: (_ms: number): Promise<void> => new Promise(() => {}),
  };
  let stored: { entry: Entry; alarmAt: number | undefined } | undefined;
  const record = new LedgerEntry({
    load: () => stored?.entry,
    save: (entry, alarmAt) => {
      stored = { entry, alarmAt };
    },
    clear: () => {
      stored = undefined;
    },
    settle: async () => {
      seen.settled++;
      return answers.shift() ?? { outcome: "unknown" };
    },
    evidence: () => seen.evidence,
    addPurchase: () => seen.listed,
    bookSale: async ({ settledAt }) => {
      seen.booked.push(settledAt);
      return seen.bookAnswers;
    },
    allowUnproved: async () => seen.trusts,
    settleTimeoutMs: 25_000,
    isAvailable: async () => seen.keeps,
    deleteOutput: async (output) => void seen.discarded.push(output),
    now: () => seen.now,
    sleep: (ms) => seen.sleep(ms),
    log: (line) => seen.logged.push(line),
  });
  const claimed = async (request = call): Promise<string> => {
    const found = await record.claim(request, MINUTE, 0);
    if (found.status !== "claimed") throw new Error(`not claimed: ${found.status}`);
    return found.claim;
  };
  /** Claims the payment, and settles for the work. */
  const settled = async () => {
    const claim = await claimed();
    return record.settle(claim, work);
  };
  const entry = () => stored?.entry;
  return { record, seen, claimed, settled, entry, state: () => entry()?.state, alarmAt: () => stored?.alarmAt };
}
const status = (of: PaymentStatus["status"]) => expect.objectContaining({ status: of });

describe("a payment that the chain has rejected", () => {
  test("can be read there, and buys nothing any more until its authorization has run out", async () => {
    const { record, seen, claimed, state, alarmAt } = world({ outcome: "reverted", reason: "why" });
    const claim = await claimed();
    expect(await record.settle(claim, work)).toEqual({ status: "failed", failure: { reason: "why" } });
    expect(seen.discarded).toEqual(["output"]);
    for (const request of ["request", "another"]) {
      expect(await record.claim({ ...call, fingerprint: request }, MINUTE, 0)).toEqual(status("spent"));
      expect(await record.invalidateClaims(request), "another payment may be made under its key").toBe(true);
    }
    expect(await record.purchase()).toBeUndefined();
    expect(await record.waitForStatus("request", 0, false), "no body is read for it").toEqual(status("proof_required"));
    seen.now = alarmAt()!;
    expect(seen.now).toBe(T + 5 * MINUTE);
    await record.alarm();
    expect(state()).toBeUndefined();
  });

  describe("of which a node tells", () => {
    const watched = { ...call, signers: [SIGNER] };
    /** Settles a payment that the chain rejects, where it then shows `evidence` one by one. */
    async function exposed(payable = watched, ...evidence: (Evidence | undefined)[]) {
      const found = worldWith(async () => evidence.shift(), { outcome: "reverted", reason: "why" });
      const claim = await found.claimed(payable);
      expect(await found.record.settle(claim, work)).toMatchObject({ status: "pending" });
      return found;
    }

    test("is the payer's if somebody else moves the money; the facilitator is not asked again", async () => {
      const moved: Evidence = { outcome: "settled", transaction: "0x2", sender: "0x57" };
      const { record, seen, alarmAt } = await exposed(watched, undefined, moved);
      expect(alarmAt()).toBe(T + 2000);
      seen.now = alarmAt()!;
      await record.alarm();
      const until = T + 5 * MINUTE;
      expect(await record.waitForStatus("request", 0, true)).toEqual({ status: "pending", until });
      expect(await record.waitForStatus("another", 0, true)).toEqual(status("reserved"));
      expect(await record.waitForStatus("request", 0, false)).toEqual(status("proof_required"));
      expect(await record.invalidateClaims("request"), "no other payment may be made under its key").toBe(false);
      seen.now = alarmAt()!;
      await record.alarm();
      expect(await record.waitForStatus("request", 0, true)).toMatchObject({ status: "sold", transaction: "0x2" });
      expect([seen.settled, seen.discarded]).toEqual([1, []]);
      expect(seen.logged).toEqual([
        expect.objectContaining({ event: "settlement", outcome: "pending", reason: "why" }),
        expect.objectContaining({ event: "settlement", outcome: "settled", transaction: "0x2" }),
      ]);
    });

    test("stays so while the node does not answer, or is no longer there, and the alarm is set before it is asked", async () => {
      const { record, seen, state, alarmAt } = await exposed();
      let answer = (_: undefined) => {};
      seen.evidence = () => new Promise((resolve) => (answer = resolve));
      seen.now = alarmAt()!;
      const looking = record.alarm();
      expect(alarmAt()).toBe(seen.now + 25_000 + backoffMs(2));
      answer(undefined);
      await looking;
      expect(alarmAt()).toBe(seen.now + backoffMs(2));
      seen.evidence = undefined;
      seen.now = alarmAt()!;
      await record.alarm();
      expect([state(), alarmAt()]).toEqual(["exposed", seen.now + backoffMs(3)]);
    });

    test("buys nothing if the money went for something else, and those who wait are told", async () => {
      const { record, seen, state, alarmAt } = await exposed(watched, { outcome: "lost", reason: "canceled" });
      const waiting = record.waitForStatus("request", T + MINUTE, true);
      seen.now = alarmAt()!;
      await record.alarm();
      expect(await waiting).toEqual({ status: "failed", failure: { reason: "canceled" } });
      expect([state(), seen.discarded]).toEqual(["burned", ["output"]]);
      expect(await record.invalidateClaims("request"), "another payment may be made under its key").toBe(true);
    });

    test("is asked about ever more rarely, and when its authorization has just ended, until the chain tells", async () => {
      const lost: Evidence = { outcome: "lost", reason: "it ran out" };
      const { record, seen, state, alarmAt } = await exposed(watched, ...Array(10).fill(undefined), lost);
      const looks: number[] = [];
      while (state() === "exposed") {
        seen.now = alarmAt()!;
        looks.push((seen.now - T) / 1000);
        await record.alarm();
      }
      expect(looks).toEqual([2, 6, 14, 30, 62, 122, 182, 242, 302, 310, 370]);
      expect(state(), "nobody can use it any more").toBeUndefined();
    });

    test.each(["exposed", "in doubt"])(
      "is given up with its link, but not free again while its authorization lasts; %s",
      async (how) => {
        const authorization = { ...payment.authorization, validBefore: String(T / 1000 + 3 * 86_400) };
        const lasting = { ...watched, payment: { ...payment, authorization } };
        const found = how === "exposed" ? await exposed(lasting) : world();
        const { record, seen, state, alarmAt } = found;
        if (how !== "exposed") {
          const claim = await found.claimed(lasting);
          await record.settle(claim, work);
        }
        const told = await record.waitForStatus("request", 0, true);
        expect(told).toEqual({ status: "pending", ...(how === "exposed" && { until: work.expiresAt }) });
        while (state() !== "burned") {
          seen.now = alarmAt()!;
          await record.alarm();
        }
        expect(seen.logged.at(-1)).toMatchObject({ event: "settlement", outcome: "unresolved" });
        expect(await record.claim(lasting, MINUTE, 0)).toEqual(status("spent"));
        seen.now = alarmAt()!;
        await record.alarm();
        expect([state(), seen.now]).toEqual([undefined, T + 3 * DAY]);
      },
    );
  });

  test("says why to those who wait", async () => {
    const { record, claimed } = world({ outcome: "reverted", reason: "why" });
    const claim = await claimed();
    const waiting = record.waitForStatus("request", T + MINUTE, true);
    await record.settle(claim, work);
    expect(await waiting).toEqual({ status: "failed", failure: { reason: "why" } });
  });
});

test("what the facilitator has not been given cannot be public: it is withheld from nobody", async () => {
  const { record, seen, claimed } = world();
  const look = async () => (await record.waitForStatus("request", 0, false)).status;
  expect(await look()).toBe("free");
  const claim = await claimed();
  expect(await look()).toBe("in_progress");
  expect(await look()).toBe("in_progress");
  await record.settle(claim, work);
  expect(await look()).toBe("proof_required");
  seen.now = work.expiresAt;
  await record.alarm();
  expect(await look(), "its authorization is over").toBe("free");
});

describe("a claim", () => {
  test("keeps the payment from others until its lease ends", async () => {
    const { record, seen, claimed } = world();
    await claimed();
    expect(await record.waitForStatus("request", 0, true)).toEqual(status("in_progress"));
    expect(await record.waitForStatus("another", 0, true)).toEqual(status("reserved"));
    seen.now += MINUTE;
    expect(await record.waitForStatus("another", 0, true)).toEqual(status("free"));
  });

  test("that died is forgotten by the alarm", async () => {
    const { record, seen, claimed, state, alarmAt } = world();
    await claimed();
    await record.alarm();
    expect([state(), alarmAt()]).toEqual(["claimed", T + MINUTE]);
    seen.now = alarmAt()!;
    await record.alarm();
    expect(state()).toBeUndefined();
  });

  test("that lost its lease to another call can neither release nor settle: its output is deleted", async () => {
    const { record, seen, claimed, state } = world();
    const late = await claimed();
    seen.now += MINUTE;
    await claimed({ ...call, fingerprint: "another" });
    await record.release(late, { reason: "" });
    expect(state()).toBe("claimed");
    expect(await record.settle(late, work)).toBeUndefined();
    expect([state(), seen.discarded, seen.settled]).toEqual(["claimed", ["output"], 0]);
  });

  test("that overran its lease with nobody after it still counts", async () => {
    const { record, seen, claimed } = world({ outcome: "settled", transaction: "0x1" });
    const claim = await claimed();
    seen.now += 2 * MINUTE;
    expect(await record.settle(claim, work)).toEqual(status("sold"));
  });

  test("that failed says why to those who wait, and frees the payment", async () => {
    const { record, claimed } = world();
    const claim = await claimed();
    const failure = { error: "damaged" };
    const waiting = Array.from({ length: 49 }, () => record.waitForStatus("request", T + MINUTE, true));
    await record.release(claim, failure);
    for (const waited of await Promise.all(waiting)) expect(waited).toEqual({ status: "failed", failure });
    expect(await record.waitForStatus("another", 0, true)).toEqual(status("free"));
  });
});

describe("a call that waits", () => {
  /** A world in which sleep passes time, and is written down. */
  const sleeper = () => {
    const found = world();
    const slept: number[] = [];
    found.seen.sleep = async (ms) => {
      slept.push(ms);
      found.seen.now += ms;
    };
    return { ...found, slept };
  };

  test("for another does so until its time is over, or the other's lease", async () => {
    const { record, slept, claimed } = sleeper();
    await claimed();
    expect(await record.waitForStatus("request", T + 5000, true)).toEqual(status("in_progress"));
    expect(slept).toEqual([5000]);
    expect(await record.waitForStatus("request", T + 2 * MINUTE, true)).toEqual(status("free"));
    expect(slept).toEqual([5000, MINUTE - 5000]);
  });

  test("for a settlement does so until its time is over", async () => {
    const { record, slept, settled } = sleeper();
    await settled();
    expect(await record.waitForStatus("request", T + 5000, true)).toEqual(status("pending"));
    expect(slept).toEqual([5000]);
  });
});

describe("that no claim made so far settles a payment for a request", () => {
  const over = T + MINUTE;
  test.each<
    [string, (found: ReturnType<typeof world>) => Promise<unknown>, number, boolean, Entry["state"] | undefined]
  >([
    ["is so of a payment never seen", async () => {}, T, true, undefined],
    ["is not while a call works under its lease", ({ claimed }) => claimed(), over - 1, false, "claimed"],
    ["is so afterwards: the claim is taken back", ({ claimed }) => claimed(), over, true, undefined],
    [
      "is so of a claim for another request",
      ({ claimed }) => claimed({ ...call, fingerprint: "another" }),
      T,
      true,
      "claimed",
    ],
    ["is not of one that is being settled", ({ settled }) => settled(), T + DAY - 1, false, "settling"],
  ])("%s", async (_, prepare, at, expected, left) => {
    const found = world();
    await prepare(found);
    found.seen.now = at;
    expect([await found.record.invalidateClaims("request"), found.state()]).toEqual([expected, left]);
  });

  test("is so of one that has bought it when the link is over", async () => {
    const { record, seen, settled, state } = world({ outcome: "settled", transaction: "0x1" });
    await settled();
    seen.now = work.expiresAt - 1;
    expect(await record.invalidateClaims("request")).toBe(false);
    seen.now++;
    expect([await record.invalidateClaims("request"), state()]).toEqual([true, "settled"]);
  });
});

test("of a payment that nobody has claimed there is nothing to release, settle, or wake for", async () => {
  const { record, seen, state } = world();
  await record.release("claim", undefined);
  await record.alarm();
  expect(await record.purchase()).toBeUndefined();
  expect([await record.settle("claim", work), seen.discarded]).toEqual([undefined, ["output"]]);
  expect([state(), seen.settled]).toEqual([undefined, 0]);
});

describe("a settlement", () => {
  test("is made once by a claim: what is sent again by it, or by another, is deleted", async () => {
    const { record, seen, claimed } = world({ outcome: "settled", transaction: "0x1" });
    const claim = await claimed();
    expect(await record.settle("another claim", { ...work, output: "another's" })).toBeUndefined();
    expect(await record.settle(claim, work)).toEqual(status("sold"));
    expect(await record.settle(claim, { ...work, output: "second" })).toBeUndefined();
    expect([seen.settled, seen.discarded]).toEqual([1, ["another's", "second"]]);
  });

  test.each<[string, (() => Promise<Evidence | undefined>) | undefined, PaymentStatus["status"][]]>([
    ["is burned, without a node", undefined, ["failed"]],
    ["is in doubt, with a node", async () => ({ outcome: "settled", transaction: "0x2" }), ["pending", "sold"]],
  ])("of which the facilitator does not know whether it was sent %s", async (_, evidence, expected) => {
    const { record, seen, claimed } = worldWith(evidence, { outcome: "unsent", reason: "transaction_failed" });
    const claim = await claimed();
    const statuses = [await record.settle(claim, work)];
    await record.alarm();
    if (statuses[0]!.status === "pending") statuses.push(await record.waitForStatus("request", 0, true));
    expect(statuses).toEqual(expected.map(status));
    expect(seen.settled).toBe(1);
    const another = await record.claim({ ...call, fingerprint: "another" }, MINUTE, 0);
    expect(another, "it may be on its way to the chain, where everyone can read it").toEqual(status("spent"));
  });

  test("is written down before its payer's list has been", async () => {
    const found = world({ outcome: "settled", transaction: "0x1" });
    found.seen.listed = new Promise(() => {});
    const claim = await found.claimed();
    const waiting = found.record.waitForStatus("request", T + MINUTE, true);
    void found.record.settle(claim, work);
    expect(await Promise.race([waiting, new Promise((resolve) => setTimeout(resolve, 100))])).toEqual(status("sold"));
  });

  test("whose object dies leaves an alarm for when the attempt must be over, and is in doubt", async () => {
    const { settled, entry, alarmAt } = world(new Promise<Settlement>(() => {}));
    void settled();
    await vi.waitFor(() => expect(entry()).toMatchObject({ state: "settling", doubt: true, attempts: 1 }));
    expect(alarmAt()).toBe(T + 25_000 + 2000);
  });

  test("that is refused frees the payment, tells those who wait, and deletes the output", async () => {
    const found = world({ outcome: "refused", reason: "why" });
    found.seen.listed = new Promise(() => {}); // nobody waits for the list
    const refused = { status: "failed", failure: { reason: "why" } };
    const claim = await found.claimed();
    const waiting = found.record.waitForStatus("request", T + MINUTE, true);
    expect(await found.record.settle(claim, work)).toEqual(refused);
    expect(await waiting).toEqual(refused);
    expect([found.state(), found.seen.discarded]).toEqual([undefined, ["output"]]);
    expect(found.seen.logged).toEqual([expect.objectContaining({ outcome: "refused", reason: "why", attempts: 1 })]);
  });

  test("is answered once its payer's list has the payment", async () => {
    const { settled, seen } = world({ outcome: "settled", transaction: "0x1" });
    let listed = () => {};
    seen.listed = new Promise((resolve) => {
      listed = resolve;
    });
    let isAnswered = false;
    const answer = settled().finally(() => {
      isAnswered = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(isAnswered).toBe(false);
    listed();
    expect(await answer).toEqual(status("sold"));
  });

  test.each([
    ["the payer has had that too often", undefined, false],
    ["the chain can be asked", async () => undefined, true],
  ])("is not sold on the word that it is used where %s", async (_, evidence, trusts) => {
    const { record, seen, settled, alarmAt } = worldWith(
      evidence,
      { outcome: "unknown" },
      { outcome: "used", reason: "why" },
    );
    seen.trusts = trusts;
    await settled();
    seen.now = alarmAt()!;
    await record.alarm();
    expect(await record.waitForStatus("request", 0, true)).toEqual(status("pending"));
    expect(alarmAt(), "it is asked for again").toBe(seen.now + backoffMs(2));
  });

  test("is not asked for when its link has just ended", async () => {
    const { record, seen, settled, state } = world();
    await settled();
    seen.now = work.expiresAt;
    await record.alarm();
    expect([seen.settled, state()]).toEqual([1, undefined]);
  });

  test("gives its result as long as that is kept, and tells of it", async () => {
    const { record, seen, settled } = world({ outcome: "settled", transaction: "0x1" });
    await settled();
    expect(await record.purchase()).toEqual({
      ...{ value: '"work"', requestId: "test", settledAt: T, expiresAt: work.expiresAt, transaction: "0x1" },
      network: payment.chain.caip2,
    });
    seen.now = work.expiresAt;
    expect(await record.purchase(), "its link has ended").toBeUndefined();
    seen.now = T;
    seen.keeps = false;
    expect(await record.purchase(), "its link was ended early").toBeUndefined();
    expect(await record.waitForStatus("request", 0, true)).toEqual({ status: "spent" });
  });

  test("is asked for again until there is an answer, each time later", async () => {
    const unknown: Settlement = { outcome: "unknown" };
    const { record, seen, claimed, alarmAt } = world(unknown, unknown, { outcome: "settled", transaction: "0x1" });
    const claim = await claimed();
    expect(await record.settle(claim, work)).toEqual(status("pending"));
    for (const waited of [2000, 4000]) {
      expect(alarmAt()).toBe(seen.now + waited);
      seen.now = alarmAt()!;
      await record.alarm();
    }
    expect(await record.waitForStatus("request", 0, true)).toEqual({
      status: "sold",
      value: '"work"',
      transaction: "0x1",
      provedAt: seen.now,
    });
    expect(seen.logged).toEqual([
      expect.objectContaining({ event: "settlement", request_id: "test", outcome: "pending", attempts: 1 }),
      expect.objectContaining({ event: "settlement", request_id: "test", outcome: "pending", attempts: 2 }),
      expect.objectContaining({ outcome: "settled", attempts: 3, transaction: "0x1", amount: "50000" }),
    ]);
  });

  test("is sold on the word that it is used, which proves nothing", async () => {
    const { record, seen, claimed, alarmAt } = world({ outcome: "unknown" }, { outcome: "used", reason: "why" });
    const claim = await claimed();
    await record.settle(claim, work);
    seen.now = alarmAt()!;
    await record.alarm();
    const found = await record.waitForStatus("request", 0, true);
    expect(found).toEqual({ status: "sold", value: '"work"', transaction: "", provedAt: undefined });
  });

  test("whose alarm was lost is taken up again by the next look", async () => {
    const { record, seen, claimed, alarmAt } = world();
    const claim = await claimed();
    await record.settle(claim, work);
    const due = alarmAt()!;
    seen.now = due + 9999;
    await record.waitForStatus("another", 0, true);
    expect(alarmAt(), "it may only be late").toBe(due);
    seen.now++;
    await record.waitForStatus("another", 0, true);
    expect(alarmAt()).toBe(seen.now);
  });

  test("that never gets one gives nothing, is kept from other requests, and given up when the link has ended", async () => {
    const { record, seen, claimed, state, alarmAt } = world();
    const claim = await claimed();
    await record.settle(claim, work);
    for (let attempts = 0; seen.now < work.expiresAt; attempts++) {
      expect(await record.waitForStatus("request", 0, true)).toEqual(status("pending"));
      expect(await record.waitForStatus("another", 0, true)).toEqual(status("reserved"));
      expect(attempts).toBeLessThan(50);
      seen.now = alarmAt()!;
      await record.alarm();
    }
    expect(state()).toBeUndefined();
    expect(seen.logged.at(-1)).toMatchObject({ event: "settlement", outcome: "unresolved" });
  });

  test("is the payer's until its link ends, and forgotten a day after", async () => {
    const { record, seen, claimed, state, alarmAt } = world({ outcome: "settled", transaction: "0x1" });
    const claim = await claimed();
    await record.settle(claim, work);
    seen.now = work.expiresAt - 1;
    expect(await record.waitForStatus("request", 0, true)).toEqual(status("sold"));
    seen.now++;
    expect(await record.waitForStatus("request", 0, true)).toEqual(status("spent"));
    await record.alarm();
    expect(alarmAt()).toBe(work.expiresAt + DAY);
    seen.now = alarmAt()!;
    await record.alarm();
    expect(state()).toBeUndefined();
  });

  test("is booked by the alarm, which is due at once and asks until the book has it, and not forgotten before", async () => {
    const { record, seen, claimed, state, alarmAt } = world({ outcome: "settled", transaction: "0x1" });
    const claim = await claimed();
    await record.settle(claim, work);
    expect([seen.booked, alarmAt()], "nobody waits for it").toEqual([[], T]);
    seen.bookAnswers = false;
    await record.alarm();
    expect(alarmAt()).toBe(T + backoffMs(1));
    seen.now = work.expiresAt + 2 * DAY;
    await record.alarm();
    expect(alarmAt()).toBe(seen.now + backoffMs(2));
    seen.bookAnswers = true;
    const due = alarmAt()!;
    seen.now = due + 9999;
    await record.waitForStatus("another", 0, false);
    expect(alarmAt(), "it may only be late").toBe(due);
    seen.now++;
    await record.waitForStatus("another", 0, false);
    expect(alarmAt(), "an alarm that was lost is set again").toBe(seen.now);
    await record.alarm();
    expect(seen.booked, "each time as the same sale").toEqual([T, T, T]);
    expect(await record.waitForStatus("another", 0, true)).toEqual(status("spent"));
    await record.alarm();
    expect([seen.booked.length, state()]).toEqual([3, undefined]);
  });

  test("of an authorization without end is never forgotten", () => {
    const authorization = { ...payment.authorization, validBefore: String(2n ** 255n) };
    const entry = {
      ...call,
      payment: { ...payment, authorization },
      state: "settled",
      work,
      transaction: "",
      settledAt: T,
    } as const;
    expect(alarmDueAt(entry)).toBeUndefined();
  });
});
