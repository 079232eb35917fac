import { statfsSync } from "node:fs";
import { tmpdir } from "node:os";

/** Folder on Linux whose files are kept in shared memory. */
const MEMORY = "/dev/shm";
/** Required free space in bytes: several times the maximum that tests store at the same time. */
const ROOM_BYTES = 2_000_000_000;

/**
 * Returns the folder in which Workers under test store data. The folder is in memory if there is enough room. Each
 * Durable Object is a separate database, and tests create and delete thousands of these. On a disk, this takes a tenth
 * of the time of all tests. Tests must not start programs from the folder, because some systems forbid that.
 */
export function storageFolder(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize > ROOM_BYTES ? MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}
