import { open } from "node:fs/promises";
import type * as z from "zod";
import { channelCallIn, channelNameOf } from "../../src/payments/channels/channelRecord.ts";
import { type BookedSale, daybookOf, dayOf } from "../../src/payments/ledger/daybook.ts";
import { type ListedPayment, purchasesOf } from "../../src/payments/ledger/purchaseList.ts";
import type { Entry } from "../../src/payments/ledger/record.ts";
import { runCommand, type Surroundings } from "../lib/command.ts";
import { askDeployment, type Deployment } from "../lib/operatorApi.ts";
import { fileAndDeployment } from "./asked.ts";
import { type backupLine, FORMAT, type header, page } from "./format.ts";

const USAGE = `usage: npm run backup -- [--url https://…] FILE
FILE must not exist. It contains download links and signatures, so keep it secret`;

const DAY_MS = 86_400_000;
/** Number of days for which the ledger retains a daybook. */
const DAYBOOK_DAYS = 400;
/**
 * Maximum lifetime of a link, plus one day for the settlement. A payer without a sale in this time has no purchases.
 */
const PURCHASES_MS = 31 * DAY_MS;
/** Number of simultaneous requests. */
const PARALLEL = 16;

/** The objects of a deployment that a backup contains. */
interface Found {
  payers: Set<string>;
  payments: Set<string>;
  keys: Set<string>;
  channels: Set<string>;
}

/**
 * Writes the records of a deployment to a file: the open payments and channels, the daybooks, the purchase lists of
 * recent payers, and the payments and channels in these lists.
 * @returns the exit code: 2 if the command fails, otherwise 0
 */
export function backup(args: string[], surroundings: Surroundings): Promise<0 | 1 | 2> {
  return runCommand(
    surroundings,
    USAGE,
    () => fileAndDeployment(args, surroundings),
    async ({ file, deployment }) => {
      const output = await open(file, "wx", 0o600);
      try {
        const write = (line: z.output<typeof backupLine> | z.output<typeof header>) =>
          output.write(`${JSON.stringify(line)}\n`);
        const now = Date.now();
        await write({ overprint: "backup", format: FORMAT, at: new Date(now).toISOString() });
        const counts = await copyRecords(deployment, now, write);
        await output.sync();
        surroundings.print(`${file}: ${counts}`);
      } finally {
        await output.close();
      }
      return 0;
    },
  );
}

async function copyRecords(
  deployment: Deployment,
  now: number,
  write: (line: z.output<typeof backupLine>) => Promise<unknown>,
): Promise<string> {
  const found: Found = { payers: new Set(), payments: new Set(), keys: new Set(), channels: new Set() };
  let [sales, open] = [0, 0];
  const copy = async (object: string, onRecord: (value: unknown, key: string) => void = () => {}) => {
    for await (const { version, alarm, records } of pagesOf(deployment, object)) {
      for (const [key, value] of records) onRecord(value, key);
      if (records.length > 0) await write({ object, version, alarm, records });
    }
  };

  await copy("payments", (_, key) => {
    found.payments.add(key.slice("open:".length));
    open++;
  });
  await copy("channels", (_, key) => found.channels.add(key.slice("open:".length)));
  const days = Array.from({ length: DAYBOOK_DAYS + 1 }, (_, age) => daybookOf(dayOf(now - age * DAY_MS)));
  await inParallel(days, (day) =>
    copy(day, (value) => {
      const { payer, settledAt, chain, channel } = value as BookedSale;
      sales++;
      if (channel) found.channels.add(channelNameOf(chain, channel.id));
      if (settledAt > now - PURCHASES_MS) found.payers.add(payer.toLowerCase());
    }),
  );
  const copyPayment = (name: string) =>
    copy(name, (value, key) => {
      if (key !== "entry") return;
      const entry = value as Entry;
      found.payers.add(entry.payment.authorization.from.toLowerCase());
      for (const bound of ("work" in entry && entry.work.keys) || []) found.keys.add(bound);
    });
  const early = [...found.payments];
  await inParallel(early, copyPayment);
  await inParallel(found.payers, (payer) =>
    copy(purchasesOf(payer), (value) => {
      const { payment } = value as ListedPayment;
      const call = channelCallIn(payment);
      if (call) found.channels.add(call.name);
      else found.payments.add(payment);
    }),
  );
  for (const name of early) found.payments.delete(name);
  await inParallel(found.payments, copyPayment);
  await inParallel(found.keys, (name) => copy(name));
  await inParallel(found.channels, (name) => copy(name));
  const { payers, payments, keys, channels } = found;
  return `${sales} sales, ${open} open payments, ${payers.size} payers, ${early.length + payments.size} payments, ${keys.size} keys, ${channels.size} channels`;
}

/** Reads all records of an object, page by page. */
async function* pagesOf(deployment: Deployment, object: string): AsyncGenerator<z.output<typeof page>> {
  for (let after: string | null | undefined; after !== null; ) {
    const query = new URLSearchParams({ object, ...(after !== undefined && { after }) });
    const read = page.parse(await askDeployment(deployment, `/v1/operator/records?${query}`));
    yield read;
    after = read.next;
  }
}

/** Calls `act` for each item, with at most {@link PARALLEL} calls at a time. */
async function inParallel<T>(items: Iterable<T>, act: (item: T) => Promise<void>): Promise<void> {
  const rest = [...items];
  const work = async () => {
    for (let item = rest.pop(); item !== undefined; item = rest.pop()) await act(item);
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
}
