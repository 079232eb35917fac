/**
 * Sends background load while `load.ts` measures its own callers. This program runs in a separate process: `node
 * bench/company.ts KIND URL`. When the parent process stops this program, the program reports how often it received
 * each answer.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { signPayment } from "../scripts/lib/pay.ts";
import { HOSTILE_FILES } from "../test/support/hostileFiles.ts";
import { another, FORM, forged, JSON_TYPE, pdfOf, randomPayer, send, TEXT, termsOf, upload } from "./attacks.ts";
import { INPUTS } from "./inputs.ts";

/** A kind of background load that runs beside the measured callers. */
export type Company = "files of 50 MB" | "slow bodies" | "broken PDFs" | "unsigned payments";

/**
 * The senders of one kind of background load: their number, the action that each sender repeats, and the pause between
 * two actions.
 */
interface Others {
  many: number;
  act(number: number): Promise<string>;
  breathMs: number;
}

const [kind, url] = process.argv.slice(2) as [Company, string];
const signed = await signPayment(await termsOf({ url }));
/** A fixed set of payers, because each payer has a separate allowance. */
const payers = Array.from({ length: 20 }, randomPayer);

/** Sends a form with a payment that the facilitator accepts. Returns the status and the problem code of the answer. */
async function call(number: number, body: Uint8Array | AsyncIterable<Uint8Array>): Promise<string> {
  const headers = { ...FORM, "X-PAYMENT": another(signed, payers[number]) };
  const response = await fetch(url + TEXT, { method: "POST", headers, body, duplex: "half" } as never);
  const { code } = (await response.json()) as { code?: string };
  return `${response.status} ${code ?? ""}`.trim();
}

/** Yields a file at 40 KB a second, just above the minimum rate of the Worker. */
async function* dripped(file: Uint8Array) {
  for (let at = 0; at < file.length; at += 4000) {
    yield file.subarray(at, at + 4000);
    await sleep(100);
  }
}

const KINDS: Record<Company, () => Others> = {
  "files of 50 MB"() {
    const body = upload(INPUTS.c.make());
    return { many: 2, act: (number) => call(number, body), breathMs: 0 };
  },
  "slow bodies"() {
    const body = upload(pdfOf(7_900_000));
    return { many: 20, act: (number) => call(number, dripped(body)), breathMs: 1000 };
  },
  "broken PDFs"() {
    const whole = INPUTS.a.make();
    const files = [whole.subarray(0, whole.length / 2), ...Object.values(HOSTILE_FILES).map((make) => make(200))];
    const bodies = files.map(upload);
    let next = 0;
    return { many: 20, act: (number) => call(number, bodies[next++ % bodies.length]!), breathMs: 1000 };
  },
  "unsigned payments"() {
    const body = Buffer.from(JSON.stringify({ file: "https://files.example.com/a.pdf", text: "A" }));
    const act = async (number: number) => {
      const headers = { ...JSON_TYPE, "X-From": `198.51.100.${number}`, Host: "api.example.com" };
      return String(await send({ url }, { headers: { ...headers, "X-PAYMENT": forged(another(signed)) }, body }));
    };
    return { many: 20, act, breathMs: 1000 };
  },
};

const { many, act, breathMs } = KINDS[kind]();
const told: Record<string, number> = {};
for (let number = 0; number < many; number++)
  void (async () => {
    await sleep((number * breathMs) / many);
    for (;;) {
      const answer = await act(number).catch(({ message }: Error) => message);
      told[answer] = (told[answer] ?? 0) + 1;
      await sleep(breathMs);
    }
  })();
process.on("message", () => process.send!(told));
process.on("disconnect", () => process.exit());
