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
/** An account from which the facilitator sends transactions. */
const SIGNER = "0xf0";
const payment = await paymentFrom({ validBefore: T / 1000 + 300 });
const call = { fingerprint: "request", payment, facilitator: "stub", signers: [] as string[], requestId: "test" };
const work = { value: '"work"', output: "output", expiresAt: T + DAY };

describe("conclude", () => {
  const refusal = (outcome: "used" | "reverted" | "simulated" | "unsent" | "refused" | "unprocessed") => ({
    outcome,
    reason: "why",
  });
  const settled = { outcome: "settled", transaction: "0x1" } as const;
  const settling = (doubt: boolean) =>
    ({ ...call, state: "settling", work, attempts: 1, doubt, firstAsked: T, nextAt: T, transaction: "0x7" }) as const;

  test.each<[Settlement | Evidence, string, string]>([
    [settled, "settled 0x1", "settled 0x1"],
    [refusal("used"), "burned why", "unproved 0x7"],
    [refusal("reverted"), "burned why", "unproved 0x7"],
    [refusal("simulated"), "refused why", "unproved 0x7"],
    [refusal("unsent"), "burned why", "unproved 0x7"],
    [refusal("refused"), "refused why", "retry 0x7, in doubt"],
    [refusal("unprocessed"), "retry 0x7", "retry 0x7, in doubt"],
    [{ outcome: "unknown" }, "retry 0x7, in doubt", "retry 0x7, in doubt"],
    [{ outcome: "unknown", transaction: "0x8" }, "retry 0x8, in doubt", "retry 0x8, in doubt"],
    [{ outcome: "lost", reason: "why" }, "refused why", "refused why"],
  ])(
    'the settlement answer %j leads to the conclusion "%s" if the payment is not in doubt, and to "%s" if an earlier attempt left it in doubt',
    (answer, first, inDoubt) => {
      const meaning = (doubt: boolean, now: number) => {
        const concluded = conclude(settling(doubt), answer, now, false);
        const what = "reason" in concluded ? concluded.reason : concluded.transaction;
        return `${concluded.conclusion} ${what}${"doubt" in concluded && concluded.doubt ? ", in doubt" : ""}`;
      };
      expect(meaning(false, T)).toBe(first);
      expect(meaning(true, T)).toBe(inDoubt);
      expect(meaning(true, T + DAY), "however late").toBe(inDoubt);
    },
  );

  test.each([
    [refusal("used"), "exposed", "burned"],
    [refusal("reverted"), "exposed", "burned"],
    [refusal("simulated"), "refused", "refused"],
    [refusal("unsent"), "retry", "retry"],
    [refusal("refused"), "refused", "refused"],
  ] as const)(
    'with a node, the answer %j to a settlement leads to the conclusion "%s", and to "%s" if the facilitator\'s accounts are unknown',
    (answer, named, not) => {
      const concluded = (signers: string[]) => conclude({ ...settling(false), signers }, answer, T, true).conclusion;
      expect([concluded([SIGNER]), concluded([])]).toEqual([named, not]);
    },
  );

  test("a payment that the facilitator never processed is refused once its authorization has expired", () => {
    expect(conclude(settling(false), refusal("unprocessed"), T + 5 * MINUTE, false)).toEqual({
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
])(
  "the chain's evidence %j about a payment that third parties can still submit leads to the conclusion %j",
  (found, expected) => {
    expect(concludeExposed({ ...call, signers: ["0xf1", SIGNER] }, found)).toEqual(expected);
  },
);

test("backoffMs doubles the delay before a retry from 2 s to a minute, and returns an hour after twelve attempts", () => {
  expect([1, 2, 3, 5, 6, 12, 13, 20].map(backoffMs)).toEqual([
    2000, 4000, 8000, 32_000, 60_000, 60_000, 3_600_000, 3_600_000,
  ]);
});

/**
 * Creates a ledger entry with a manual clock and scripted answers of the facilitator. The ledger has no node of the
 * chain.
 */
const world = (...answers: (Settlement | Promise<Settlement>)[]) => worldWith(undefined, ...answers);
/** Creates a ledger entry like `world`, with a node that returns the result of `evidence`. */
function worldWith(
  evidence: (() => Promise<Evidence | undefined>) | undefined,
  ...answers: (Settlement | Promise<Settlement>)[]
) {
  const seen = {
    settled: 0,
    deleted: [] as string[],
    logged: [] as unknown[],
    now: T,
    listed: Promise.resolve(),
    booked: [] as number[],
    canBook: true,
    evidence,
    isAvailable: true,
    allowUnproved: true,
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
      return seen.canBook;
    },
    allowUnproved: async () => seen.allowUnproved,
    settleTimeoutMs: 25_000,
    isAvailable: async () => seen.isAvailable,
    deleteOutput: async (output) => void seen.deleted.push(output),
    now: () => seen.now,
    sleep: (ms) => seen.sleep(ms),
    log: (line) => seen.logged.push(line),
  });
  const claimed = async (request = call): Promise<string> => {
    const found = await record.claim(request, MINUTE, 0);
    if (found.status !== "claimed") throw new Error(`not claimed: ${found.status}`);
    return found.claim;
  };
  /** Claims the payment and settles it under this claim. */
  const settled = async () => {
    const claim = await claimed();
    return record.settle(claim, work);
  };
  const entry = () => stored?.entry;
  return { record, seen, claimed, settled, entry, state: () => entry()?.state, alarmAt: () => stored?.alarmAt };
}
const status = (of: PaymentStatus["status"]) => expect.objectContaining({ status: of });

describe("a payment that the chain has rejected", () => {
  test("a payment that the chain has rejected is blocked until its authorization expires", async () => {
    const { record, seen, claimed, state, alarmAt } = world({ outcome: "reverted", reason: "why" });
    const claim = await claimed();
    expect(await record.settle(claim, work)).toEqual({ status: "failed", failure: { reason: "why" } });
    expect(seen.deleted).toEqual(["output"]);
    for (const request of ["request", "another"]) {
      expect(await record.claim({ ...call, fingerprint: request }, MINUTE, 0)).toEqual(status("spent"));
      expect(await record.invalidateClaims(request), "the payment's key may be bound to another payment").toBe(true);
    }
    expect(await record.purchase()).toBeUndefined();
    expect(await record.waitForStatus("request", 0, false), "a stranger must prove that it is the payer").toEqual(
      status("proof_required"),
    );
    seen.now = alarmAt()!;
    expect(seen.now).toBe(T + 5 * MINUTE);
    await record.alarm();
    expect(state()).toBeUndefined();
  });

  describe("an exposed payment", () => {
    const watched = { ...call, signers: [SIGNER] };
    /**
     * Creates a payment that the chain has rejected, but that third parties can still submit. Each later look-up at the
     * node returns the next item of `evidence`.
     */
    async function exposed(payable = watched, ...evidence: (Evidence | undefined)[]) {
      const found = worldWith(async () => evidence.shift(), { outcome: "reverted", reason: "why" });
      const claim = await found.claimed(payable);
      expect(await found.record.settle(claim, work)).toMatchObject({ status: "pending" });
      return found;
    }

    test("the payer gets the result without another settlement if a third party submits a rejected payment to the chain", async () => {
      const moved: Evidence = { outcome: "settled", transaction: "0x2", sender: "0x57" };
      const { record, seen, alarmAt } = await exposed(watched, undefined, moved);
      expect(alarmAt()).toBe(T + 2000);
      seen.now = alarmAt()!;
      await record.alarm();
      const until = T + 5 * MINUTE;
      expect(await record.waitForStatus("request", 0, true)).toEqual({ status: "pending", until });
      expect(await record.waitForStatus("another", 0, true)).toEqual(status("reserved"));
      expect(await record.waitForStatus("request", 0, false)).toEqual(status("proof_required"));
      expect(await record.invalidateClaims("request"), "the payment's key may not be bound to another payment").toBe(
        false,
      );
      seen.now = alarmAt()!;
      await record.alarm();
      expect(await record.waitForStatus("request", 0, true)).toMatchObject({ status: "sold", transaction: "0x2" });
      expect([seen.settled, seen.deleted]).toEqual([1, []]);
      expect(seen.logged).toEqual([
        expect.objectContaining({ event: "settlement", outcome: "pending", reason: "why" }),
        expect.objectContaining({ event: "settlement", outcome: "settled", transaction: "0x2" }),
      ]);
    });

    test("the ledger keeps watching a rejected payment if the node does not answer, and sets the next alarm before each look-up", async () => {
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

    test("a rejected payment is blocked if the chain shows that it was canceled, and waiting calls get the failure", async () => {
      const { record, seen, state, alarmAt } = await exposed(watched, { outcome: "lost", reason: "canceled" });
      const waiting = record.waitForStatus("request", T + MINUTE, true);
      seen.now = alarmAt()!;
      await record.alarm();
      expect(await waiting).toEqual({ status: "failed", failure: { reason: "canceled" } });
      expect([state(), seen.deleted]).toEqual(["burned", ["output"]]);
      expect(await record.invalidateClaims("request"), "the payment's key may be bound to another payment").toBe(true);
    });

    test("the ledger asks the chain about a rejected payment at growing intervals, and again after its authorization expires", async () => {
      const lost: Evidence = { outcome: "lost", reason: "it ran out" };
      const { record, seen, state, alarmAt } = await exposed(watched, ...Array(10).fill(undefined), lost);
      const looks: number[] = [];
      while (state() === "exposed") {
        seen.now = alarmAt()!;
        looks.push((seen.now - T) / 1000);
        await record.alarm();
      }
      expect(looks).toEqual([2, 6, 14, 30, 62, 122, 182, 242, 302, 310, 370]);
      expect(state(), "an expired payment is forgotten").toBeUndefined();
    });

    test.each(["exposed", "in doubt"])(
      "an unresolved payment stays blocked until its authorization expires, but is not watched after its link expires (%s)",
      async (how) => {
        const authorization = { ...payment.authorization, validBefore: String(T / 1000 + 3 * 86_400) };
        const lasting = { ...watched, payment: { ...payment, authorization } };
        const scene = how === "exposed" ? await exposed(lasting) : world();
        const { record, seen, state, alarmAt } = scene;
        if (how !== "exposed") {
          const claim = await scene.claimed(lasting);
          await record.settle(claim, work);
        }
        const found = await record.waitForStatus("request", 0, true);
        expect(found).toEqual({ status: "pending", ...(how === "exposed" && { until: work.expiresAt }) });
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

  test("calls that wait for a payment learn that the chain has rejected it", async () => {
    const { record, claimed } = world({ outcome: "reverted", reason: "why" });
    const claim = await claimed();
    const waiting = record.waitForStatus("request", T + MINUTE, true);
    await record.settle(claim, work);
    expect(await waiting).toEqual({ status: "failed", failure: { reason: "why" } });
  });
});

test("a caller must prove that it is the payer only after the facilitator was asked to settle the payment", async () => {
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
  expect(await look(), "the payment's authorization has expired").toBe("free");
});

describe("LedgerEntry.claim", () => {
  test("a payment is reserved for the request that claimed it until the claim's lease expires", async () => {
    const { record, seen, claimed } = world();
    await claimed();
    expect(await record.waitForStatus("request", 0, true)).toEqual(status("in_progress"));
    expect(await record.waitForStatus("another", 0, true)).toEqual(status("reserved"));
    seen.now += MINUTE;
    expect(await record.waitForStatus("another", 0, true)).toEqual(status("free"));
  });

  test("an alarm releases a claim on a payment once the claim's lease has expired", async () => {
    const { record, seen, claimed, state, alarmAt } = world();
    await claimed();
    await record.alarm();
    expect([state(), alarmAt()]).toEqual(["claimed", T + MINUTE]);
    seen.now = alarmAt()!;
    await record.alarm();
    expect(state()).toBeUndefined();
  });

  test("a call that has lost its claim on the payment settles nothing and deletes its output", async () => {
    const { record, seen, claimed, state } = world();
    const late = await claimed();
    seen.now += MINUTE;
    await claimed({ ...call, fingerprint: "another" });
    await record.release(late, { reason: "" });
    expect(state()).toBe("claimed");
    expect(await record.settle(late, work)).toBeUndefined();
    expect([state(), seen.deleted, seen.settled]).toEqual(["claimed", ["output"], 0]);
  });

  test("a call with an expired lease can still settle the payment if no other call has claimed it", async () => {
    const { record, seen, claimed } = world({ outcome: "settled", transaction: "0x1" });
    const claim = await claimed();
    seen.now += 2 * MINUTE;
    expect(await record.settle(claim, work)).toEqual(status("sold"));
  });

  test("waiting calls get the failure of the call that claimed the payment, and the payment is usable again", async () => {
    const { record, claimed } = world();
    const claim = await claimed();
    const failure = { error: "damaged" };
    const waiting = Array.from({ length: 49 }, () => record.waitForStatus("request", T + MINUTE, true));
    await record.release(claim, failure);
    for (const waited of await Promise.all(waiting)) expect(waited).toEqual({ status: "failed", failure });
    expect(await record.waitForStatus("another", 0, true)).toEqual(status("free"));
  });
});

describe("LedgerEntry.waitForStatus", () => {
  /** Creates a ledger entry whose `sleep` advances the clock. Also returns the list of sleep durations. */
  const sleeper = () => {
    const found = world();
    const slept: number[] = [];
    found.seen.sleep = async (ms) => {
      slept.push(ms);
      found.seen.now += ms;
    };
    return { ...found, slept };
  };

  test("a call waits for the call that claimed the payment until its time limit or the end of the lease", async () => {
    const { record, slept, claimed } = sleeper();
    await claimed();
    expect(await record.waitForStatus("request", T + 5000, true)).toEqual(status("in_progress"));
    expect(slept).toEqual([5000]);
    expect(await record.waitForStatus("request", T + 2 * MINUTE, true)).toEqual(status("free"));
    expect(slept).toEqual([5000, MINUTE - 5000]);
  });

  test("a call waits for the settlement of a payment until its time limit", async () => {
    const { record, slept, settled } = sleeper();
    await settled();
    expect(await record.waitForStatus("request", T + 5000, true)).toEqual(status("pending"));
    expect(slept).toEqual([5000]);
  });
});

describe("LedgerEntry.invalidateClaims", () => {
  const over = T + MINUTE;
  test.each<
    [string, (found: ReturnType<typeof world>) => Promise<unknown>, number, boolean, Entry["state"] | undefined]
  >([
    ["invalidates the claims on a payment that was never seen", async () => {}, T, true, undefined],
    ["invalidates no claim while a call works under its lease", ({ claimed }) => claimed(), over - 1, false, "claimed"],
    ["invalidates and releases a claim after its lease has expired", ({ claimed }) => claimed(), over, true, undefined],
    [
      "leaves a claim for another request in place",
      ({ claimed }) => claimed({ ...call, fingerprint: "another" }),
      T,
      true,
      "claimed",
    ],
    [
      "invalidates no claim on a payment that is being settled",
      ({ settled }) => settled(),
      T + DAY - 1,
      false,
      "settling",
    ],
  ])("a ledger entry %s", async (_, prepare, at, expected, left) => {
    const found = world();
    await prepare(found);
    found.seen.now = at;
    expect([await found.record.invalidateClaims("request"), found.state()]).toEqual([expected, left]);
  });

  test("the claims on a settled payment can be invalidated only after its link has expired", async () => {
    const { record, seen, settled, state } = world({ outcome: "settled", transaction: "0x1" });
    await settled();
    seen.now = work.expiresAt - 1;
    expect(await record.invalidateClaims("request")).toBe(false);
    seen.now++;
    expect([await record.invalidateClaims("request"), state()]).toEqual([true, "settled"]);
  });
});

test("a call without a claim on the payment can neither release nor settle it, and deletes its output", async () => {
  const { record, seen, state } = world();
  await record.release("claim", undefined);
  await record.alarm();
  expect(await record.purchase()).toBeUndefined();
  expect([await record.settle("claim", work), seen.deleted]).toEqual([undefined, ["output"]]);
  expect([state(), seen.settled]).toEqual([undefined, 0]);
});

describe("LedgerEntry.settle", () => {
  test("a claim settles a payment once, and the output of a call with a repeated or unknown claim is deleted", async () => {
    const { record, seen, claimed } = world({ outcome: "settled", transaction: "0x1" });
    const claim = await claimed();
    expect(await record.settle("another claim", { ...work, output: "another's" })).toBeUndefined();
    expect(await record.settle(claim, work)).toEqual(status("sold"));
    expect(await record.settle(claim, { ...work, output: "second" })).toBeUndefined();
    expect([seen.settled, seen.deleted]).toEqual([1, ["another's", "second"]]);
  });

  test.each<[string, (() => Promise<Evidence | undefined>) | undefined, PaymentStatus["status"][]]>([
    ["unusable without a node", undefined, ["failed"]],
    ["undecided with a node", async () => ({ outcome: "settled", transaction: "0x2" }), ["pending", "sold"]],
  ])("a payment is %s if the facilitator could not send the transaction", async (_, evidence, expected) => {
    const { record, seen, claimed } = worldWith(evidence, { outcome: "unsent", reason: "transaction_failed" });
    const claim = await claimed();
    const statuses = [await record.settle(claim, work)];
    await record.alarm();
    if (statuses[0]!.status === "pending") statuses.push(await record.waitForStatus("request", 0, true));
    expect(statuses).toEqual(expected.map(status));
    expect(seen.settled).toBe(1);
    const another = await record.claim({ ...call, fingerprint: "another" }, MINUTE, 0);
    expect(another, "the payment may already be public").toEqual(status("spent"));
  });

  test("a waiting call learns of the settlement before the purchase is added to the payer's list", async () => {
    const found = world({ outcome: "settled", transaction: "0x1" });
    found.seen.listed = new Promise(() => {});
    const claim = await found.claimed();
    const waiting = found.record.waitForStatus("request", T + MINUTE, true);
    void found.record.settle(claim, work);
    expect(await waiting).toEqual(status("sold"));
  });

  test("a settlement attempt first sets an alarm and stores a doubtful outcome, in case the Durable Object stops", async () => {
    const { settled, entry, alarmAt } = world(new Promise<Settlement>(() => {}));
    void settled();
    await vi.waitFor(() => expect(entry()).toMatchObject({ state: "settling", doubt: true, attempts: 1 }));
    expect(alarmAt()).toBe(T + 25_000 + 2000);
  });

  test("a refused settlement makes the payment usable again, informs waiting calls, and deletes the output", async () => {
    const found = world({ outcome: "refused", reason: "why" });
    found.seen.listed = new Promise(() => {}); // a refusal does not wait for the purchase list
    const refused = { status: "failed", failure: { reason: "why" } };
    const claim = await found.claimed();
    const waiting = found.record.waitForStatus("request", T + MINUTE, true);
    expect(await found.record.settle(claim, work)).toEqual(refused);
    expect(await waiting).toEqual(refused);
    expect([found.state(), found.seen.deleted]).toEqual([undefined, ["output"]]);
    expect(found.seen.logged).toEqual([expect.objectContaining({ outcome: "refused", reason: "why", attempts: 1 })]);
  });

  test("the call that settles a payment gets its answer only after the purchase is added to the payer's list", async () => {
    const { settled, seen, state } = world({ outcome: "settled", transaction: "0x1" });
    let listed = () => {};
    seen.listed = new Promise((resolve) => {
      listed = resolve;
    });
    let isAnswered = false;
    const answer = settled().finally(() => {
      isAnswered = true;
    });
    await vi.waitFor(() => expect(state()).toBe("settled"));
    await new Promise((resolve) => setTimeout(resolve)); // lets pending promises settle
    expect(isAnswered).toBe(false);
    listed();
    expect(await answer).toEqual(status("sold"));
  });

  test.each([
    ["the payer has reached the limit for unproved payments", undefined, false],
    ["the ledger can ask a node", async () => undefined, true],
  ])("a payment without proof of settlement buys no result if %s", async (_, evidence, allowUnproved) => {
    const { record, seen, settled, alarmAt } = worldWith(
      evidence,
      { outcome: "unknown" },
      { outcome: "used", reason: "why" },
    );
    seen.allowUnproved = allowUnproved;
    await settled();
    seen.now = alarmAt()!;
    await record.alarm();
    expect(await record.waitForStatus("request", 0, true)).toEqual(status("pending"));
    expect(alarmAt(), "the alarm retries").toBe(seen.now + backoffMs(2));
  });

  test("a settlement is not retried after the output's link has expired", async () => {
    const { record, seen, settled, state } = world();
    await settled();
    seen.now = work.expiresAt;
    await record.alarm();
    expect([seen.settled, state()]).toEqual([1, undefined]);
  });

  test("a purchase can be looked up only while its output is available", async () => {
    const { record, seen, settled } = world({ outcome: "settled", transaction: "0x1" });
    await settled();
    expect(await record.purchase()).toEqual({
      value: '"work"',
      requestId: "test",
      settledAt: T,
      expiresAt: work.expiresAt,
      transaction: "0x1",
      network: payment.chain.caip2,
    });
    seen.now = work.expiresAt;
    expect(await record.purchase(), "the purchase's link has expired").toBeUndefined();
    seen.now = T;
    seen.isAvailable = false;
    expect(await record.purchase(), "the purchase's link was revoked").toBeUndefined();
    expect(await record.waitForStatus("request", 0, true)).toEqual({ status: "spent", lostBy: "0x1" });
  });

  test("a settlement is retried at growing intervals until the facilitator's answer is conclusive", async () => {
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
      settledAt: seen.now,
      isProved: true,
    });
    expect(seen.logged).toEqual([
      expect.objectContaining({ event: "settlement", request_id: "test", outcome: "pending", attempts: 1 }),
      expect.objectContaining({ event: "settlement", request_id: "test", outcome: "pending", attempts: 2 }),
      expect.objectContaining({ outcome: "settled", attempts: 3, transaction: "0x1", amount: "50000" }),
    ]);
  });

  test("a payment is sold but not proved if the facilitator's first answer was lost and the next one reports the payment as used", async () => {
    const { record, seen, claimed, alarmAt } = world({ outcome: "unknown" }, { outcome: "used", reason: "why" });
    const claim = await claimed();
    await record.settle(claim, work);
    seen.now = alarmAt()!;
    await record.alarm();
    const found = await record.waitForStatus("request", 0, true);
    expect(found).toEqual({ status: "sold", value: '"work"', transaction: "", settledAt: seen.now, isProved: false });
  });

  test("a status request sets the lost alarm of a payment again", async () => {
    const { record, seen, claimed, alarmAt } = world();
    const claim = await claimed();
    await record.settle(claim, work);
    const due = alarmAt()!;
    seen.now = due + 9999;
    await record.waitForStatus("another", 0, true);
    expect(alarmAt(), "the alarm may only be late").toBe(due);
    seen.now++;
    await record.waitForStatus("another", 0, true);
    expect(alarmAt()).toBe(seen.now);
  });

  test("a payment with inconclusive answers stays reserved for its request until its link expires, and is then given up", async () => {
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

  test("a settled payment is reported to any caller as spent on another request, but an unsettled payment is not", async () => {
    const answers: Settlement[] = [{ outcome: "unknown" }, { outcome: "settled", transaction: "0x1" }];
    const { record, claimed, seen, alarmAt, state } = world(...answers);
    const look = (isPayerProven: boolean) => record.waitForStatus("another", 0, isPayerProven);
    const claim = await claimed();
    expect([state(), await look(true), await look(false)]).toEqual(["claimed", status("reserved"), status("reserved")]);
    await record.settle(claim, work);
    const pending = [status("reserved"), status("proof_required")];
    expect([state(), await look(true), await look(false)]).toEqual(["settling", ...pending]);
    seen.now = alarmAt()!;
    await record.alarm();
    const bought = { status: "spent", boughtOther: true };
    expect([state(), await look(true), await look(false)]).toEqual(["settled", bought, bought]);
    expect(await record.waitForStatus("request", 0, false)).toEqual(status("proof_required"));
    seen.now = work.expiresAt;
    expect(await record.waitForStatus("request", 0, true), "its own link has expired").toEqual({ status: "spent" });
  });

  test("a payment returns its result until the link expires, and is forgotten a day later", async () => {
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

  test("the alarm retries adding a sale to the daybook, and the payment is remembered until the sale is added", async () => {
    const { record, seen, claimed, state, alarmAt } = world({ outcome: "settled", transaction: "0x1" });
    const claim = await claimed();
    await record.settle(claim, work);
    expect([seen.booked, alarmAt()], "no caller waits for the booking").toEqual([[], T]);
    seen.canBook = false;
    await record.alarm();
    expect(alarmAt()).toBe(T + backoffMs(1));
    seen.now = work.expiresAt + 2 * DAY;
    await record.alarm();
    expect(alarmAt()).toBe(seen.now + backoffMs(2));
    seen.canBook = true;
    const due = alarmAt()!;
    seen.now = due + 9999;
    await record.waitForStatus("another", 0, false);
    expect(alarmAt(), "the alarm may only be late").toBe(due);
    seen.now++;
    await record.waitForStatus("another", 0, false);
    expect(alarmAt(), "a lost alarm is restored").toBe(seen.now);
    await record.alarm();
    expect(seen.booked, "each attempt books the same sale").toEqual([T, T, T]);
    expect(await record.waitForStatus("another", 0, true)).toEqual(status("spent"));
    await record.alarm();
    expect([seen.booked.length, state()]).toEqual([3, undefined]);
  });

  test("a payment whose authorization never expires is never forgotten", () => {
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
