import { statfsSync } from "node:fs";
import { tmpdir } from "node:os";

/** Linux's folder in shared memory. */
const MEMORY = "/dev/shm";
/** Required free space: several times the maximum that tests store at once. */
const ROOM_BYTES = 2_000_000_000;

/**
 * Returns the folder where Workers under test store data: in memory if it has room. Each Durable Object is a separate
 * database, and thousands are created and deleted. On a disk that takes a tenth of the time of all tests. No program
 * starts from this folder, because some systems forbid it.
 */
export function storageFolder(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize > ROOM_BYTES ? MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}
