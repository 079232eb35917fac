import { stat } from "node:fs/promises";
import { join } from "node:path";

/** Time between two checks, in milliseconds. */
const POLL_MS = 1000;

/**
 * Calls `onLost` once a folder was deleted. A program that has opened files in the folder would go on writing to them.
 * Returns after the first check.
 * @param parent folder that contains the watched folders. A folder is watched from the time when it exists
 * @param onLost receives the name of the deleted folder
 */
export async function watchFolders(
  parent: string,
  names: readonly string[],
  onLost: (name: string) => void,
): Promise<void> {
  const known = new Set<string>();
  const check = async () => {
    for (const name of names) {
      const exists = await stat(join(parent, name)).then(
        () => true,
        ({ code }: NodeJS.ErrnoException) => code !== "ENOENT",
      );
      if (exists) known.add(name);
      else if (known.has(name)) {
        clearInterval(timer);
        onLost(name);
        return;
      }
    }
  };
  const timer = setInterval(check, POLL_MS);
  await check();
}
