/** Reads and restores the records of a Durable Object, for the backup of a deployment. */
import { type RecordStorage, recordVersionOf, withoutVersion } from "./recordStorage.ts";

/** A page of the records of one Durable Object, as a backup stores it. A large object has several pages. */
export interface RecordsPage {
  /** Version of the records, see `RECORD_VERSION`. */
  version: number;
  /** Time of the object's alarm, Unix milliseconds; null without an alarm. */
  alarm: number | null;
  /** Storage keys and values, in the order of the keys. */
  records: [key: string, value: unknown][];
  /** Value of `after` for the next page; null on the last page. */
  next: string | null;
}

/** Maximum number of records per page. */
const PAGE = 500;

/** Returns a page of the records of a Durable Object, starting after the key `after`. */
export async function readRecords(storage: RecordStorage, after: string | undefined): Promise<RecordsPage> {
  const records = [...storage.kv.list({ ...(after !== undefined && { startAfter: after }), limit: PAGE })];
  return {
    version: recordVersionOf(storage),
    alarm: await storage.getAlarm(),
    records: withoutVersion(records),
    next: records.length === PAGE ? records.at(-1)![0] : null,
  };
}

/**
 * Restores records and the alarm of a Durable Object. Never replaces a record or an alarm, because the deployment may
 * have changed it since the backup. Returns the number of restored records.
 */
export async function restoreRecords(
  storage: RecordStorage,
  { alarm, records }: Pick<RecordsPage, "alarm" | "records">,
): Promise<number> {
  const missing = records.filter(([key]) => storage.kv.get(key) === undefined);
  for (const [key, value] of missing) storage.kv.put(key, value);
  if (missing.length > 0 && alarm !== null && (await storage.getAlarm()) === null)
    await storage.setAlarm(Math.max(alarm, Date.now()));
  return missing.length;
}
