/** The storage of a Durable Object whose records have a version. */

/**
 * Version of the records that this build writes to Durable Objects. Raise the version if an older build would misread a
 * record. A build must read the records of every earlier version.
 */
export const RECORD_VERSION = 1;

/** Storage key of the version. An object that was written before records had a version lacks the key. */
const KEY = "version";

/** The part of a Durable Object's storage that stores records and the alarm. */
export type RecordStorage = Pick<DurableObjectStorage, "getAlarm" | "setAlarm" | "deleteAlarm" | "deleteAll"> & {
  kv: Pick<DurableObjectStorage["kv"], "get" | "put" | "delete" | "list">;
};

/** Returns the version of an object's records. */
export function recordVersionOf({ kv }: RecordStorage): number {
  return kv.get<number>(KEY) ?? 1;
}

/**
 * Returns a storage that stores the version as long as the object has records. The functions of its `kv` throw an Error
 * if a newer build has written to the object.
 */
export function recordStorage(storage: DurableObjectStorage): RecordStorage {
  const checked = () => {
    const version = recordVersionOf(storage);
    if (version > RECORD_VERSION)
      throw new Error(
        `The records of this object have version ${version}, but this build reads at most version ${RECORD_VERSION}. Deploy the newer build again.`,
      );
    return storage.kv;
  };
  return {
    kv: {
      get: (key) => checked().get(key),
      list: (options) => checked().list(options),
      delete(key) {
        const wasStored = checked().delete(key);
        const [first, second] = storage.kv.list({ limit: 2 });
        if (first?.[0] === KEY && !second) storage.kv.delete(KEY);
        return wasStored;
      },
      put(key, value) {
        checked().put(key, value);
        if (storage.kv.get(KEY) !== RECORD_VERSION) storage.kv.put(KEY, RECORD_VERSION);
      },
    },
    getAlarm: () => storage.getAlarm(),
    setAlarm: (at) => storage.setAlarm(at),
    deleteAlarm: () => storage.deleteAlarm(),
    deleteAll: () => storage.deleteAll(),
  };
}

/** Returns the records of an object without its version. */
export function withoutVersion<T>(records: [string, T][]): [string, T][] {
  return records.filter(([key]) => key !== KEY);
}
