import { statfsSync } from "node:fs";
import { tmpdir } from "node:os";

/** Shared memory as a folder, as Linux has it. */
const MEMORY = "/dev/shm";
/** Several times what is ever stored at once. */
const ROOM_BYTES = 2_000_000_000;

/**
 * Returns where Workers under test keep what they store: in memory where there is room for it, since each object of a Worker
 * is a database of its own, and thousands of them come and go; on a disk this took a tenth of the time of all tests. No
 * program is started from there, which some systems forbid.
 */
export function storageFolder(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize > ROOM_BYTES ? MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}
