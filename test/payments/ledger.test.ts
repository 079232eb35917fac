import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";

const T = 2_000_000_000;
const entryOf = (name: string) => env.LEDGER.getByName(name);

async function claimed(name: string, at: number): Promise<string> {
  const claim = await entryOf(name).claim(at, at + 300);
  if (!claim.claimed) throw new Error(`not claimed: ${claim.state}`);
  return claim.claim;
}

describe("the ledger", () => {
  test("gives a payment to one call at a time", async () => {
    const claim = await claimed("one", T);
    expect(await entryOf("one").claim(T + 1, T + 300)).toEqual({ claimed: false, state: "claimed" });
    await entryOf("one").release(claim);
    await claimed("one", T + 2);
  });

  test("frees the payment of a call that died, when its lease ends", async () => {
    await claimed("died", T);
    expect(await entryOf("died").claim(T + 599, T + 300)).toEqual({ claimed: false, state: "claimed" });
    await claimed("died", T + 600);
  });

  test("lets a call that lost its lease release nothing", async () => {
    const late = await claimed("late", T);
    await claimed("late", T + 600);
    await entryOf("late").release(late);
    expect(await entryOf("late").claim(T + 601, T + 300)).toEqual({ claimed: false, state: "claimed" });
  });

  test("keeps a spent payment spent, released or not", async () => {
    const claim = await claimed("spent", T);
    await entryOf("spent").spend();
    await entryOf("spent").release(claim);
    expect(await entryOf("spent").claim(T + 10_000, T + 300)).toEqual({ claimed: false, state: "spent" });
  });

  test("forgets it only once its authorization has run out", async () => {
    await entryOf("forgotten").claim(T, T + 5000);
    await entryOf("forgotten").spend();
    await runInDurableObject(entryOf("forgotten"), async (_, state) => {
      expect(await state.storage.getAlarm()).toBe((T + 5000) * 1000);
    });
    await runDurableObjectAlarm(entryOf("forgotten"));
    await claimed("forgotten", T + 6000);
  });

  test("keeps a payment that never runs out for good", async () => {
    await entryOf("endless").claim(T, 2 ** 255);
    await runInDurableObject(entryOf("endless"), async (_, state) => expect(await state.storage.getAlarm()).toBeNull());
  });
});
