import { afterEach, describe, expect, it, vi } from "vitest";
import { receive, receiveWhole } from "../../src/inputs/receive.ts";
import { LARGE_BYTES, Turn } from "../../src/inputs/turn.ts";
import { inOne } from "../support/bytes.ts";

const LONGEST_MS = 180_000;
const turns: Turn[] = [];
const newTurn = () => {
  const turn = new Turn(2, LONGEST_MS);
  turns.push(turn);
  return turn;
};
afterEach(() => {
  for (const turn of turns.splice(0)) turn.end();
});

const isWaiting = (begun: Promise<void>) =>
  Promise.race([begun.then(() => false), scheduler.wait(500).then(() => true)]);

describe("a call's turn", () => {
  it("comes at once where there is room, else when another ends, however often that is said", async () => {
    const [first, second, third, fourth] = [newTurn(), newTurn(), newTurn(), newTurn()];
    await first.begin();
    await second.begin();
    const begun = third.begin();
    expect(await isWaiting(begun)).toBe(true);
    first.end();
    first.end();
    await begun;
    expect(await isWaiting(fourth.begin())).toBe(true);
  });

  it("is one, however many large files the call has", async () => {
    const [first, second] = [newTurn(), newTurn()];
    await Promise.all([first.begin(), first.begin(), first.begin()]);
    await second.begin();
    second.end();
    first.end();
    for (const turn of [newTurn(), newTurn()]) await turn.begin();
  });

  it("that ends while it is waited for takes nobody else's", async () => {
    const [first, second, third] = [newTurn(), newTurn(), newTurn()];
    await Promise.all([first.begin(), second.begin()]);
    const begun = third.begin();
    third.end();
    first.end();
    await begun;
    await newTurn().begin();
  });

  it("that never begins takes nobody else's", async () => {
    newTurn().end();
    for (const turn of [newTurn(), newTurn()]) await turn.begin();
    expect(await isWaiting(newTurn().begin())).toBe(true);
  });

  it("is over after a time, where the runtime has cut its call off and nothing ends it", async () => {
    vi.useFakeTimers();
    for (const turn of [newTurn(), newTurn()]) await turn.begin();
    await vi.advanceTimersByTimeAsync(LONGEST_MS - 1000);
    const next = newTurn().begin();
    await vi.advanceTimersByTimeAsync(2000);
    await next;
    vi.useRealTimers();
  });

  it("is not waited for for ever", async () => {
    vi.useFakeTimers();
    for (const turn of [newTurn(), newTurn()]) await turn.begin();
    const refused = expect(newTurn().begin()).rejects.toMatchObject({
      code: "too_busy",
      headers: { "Retry-After": "10" },
    });
    await vi.advanceTimersByTimeAsync(20_000);
    await refused;
    vi.useRealTimers();
  });
});

describe("a file", () => {
  const size = 2 * LARGE_BYTES;
  const roomWith = (turn: Turn) => ({
    maxBytes: size,
    inMemoryBytes: size,
    turn,
    keep: () => Promise.reject(new Error("not kept")),
    keepWhole: () => Promise.reject(new Error("not kept")),
  });
  const bytes = (length: number) => inOne(new Uint8Array(length));

  it.each([
    ["small", 1, (turn: Turn) => receive(bytes(LARGE_BYTES), roomWith(turn), 0)],
    ["large", 2, (turn: Turn) => receive(bytes(LARGE_BYTES + 1), roomWith(turn), 0)],
    ["announced to be large", 2, (turn: Turn) => receive(bytes(1), roomWith(turn), LARGE_BYTES + 1)],
    ["too large for memory", 2, (turn: Turn) => receiveWhole(new Blob().stream(), size + 1, roomWith(turn))],
  ])("that is %s begins the turn, or not", async (_, taken, receiveBy) => {
    await newTurn().begin();
    await receiveBy(newTurn()).catch(() => undefined);
    expect(await isWaiting(newTurn().begin())).toBe(taken === 2);
  });
});
