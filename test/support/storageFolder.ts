import { statfsSync } from "node:fs";
import { tmpdir } from "node:os";

/** Folder on Linux whose files are kept in shared memory. */
const MEMORY = "/dev/shm";
/** Required free space in bytes: several times the maximum that tests store simultaneously. */
const ROOM_BYTES = 2_000_000_000;

/**
 * Returns the folder in which Workers under test store data. The folder is in memory if there is enough space. Tests
 * create and delete thousands of Durable Objects, each with its own database. On a disk, this takes a tenth of all test
 * time. Tests must not start programs from the folder, because some systems forbid that.
 */
export function storageFolder(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize > ROOM_BYTES ? MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}
