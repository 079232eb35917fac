import { open } from "node:fs/promises";
import * as z from "zod";
import { runCommand, type Surroundings } from "../lib/command.ts";
import { askDeployment } from "../lib/operatorApi.ts";
import { fileAndDeployment } from "./asked.ts";
import { backupLine, header } from "./format.ts";

const USAGE = `usage: npm run restore -- [--url https://…] FILE
The deployment must have the setting SELLING=false. Records that exist there are never replaced`;

const answer = z.object({ restored: z.number() });

/**
 * Restores the records that a deployment lacks from a backup. The command can be repeated.
 * @returns the exit code: 2 if the command fails, otherwise 0
 */
export function restore(args: string[], surroundings: Surroundings): Promise<0 | 1 | 2> {
  return runCommand(
    surroundings,
    USAGE,
    () => fileAndDeployment(args, surroundings),
    async ({ file, deployment }) => {
      const input = await open(file);
      let [restored, present, isFirst] = [0, 0, true];
      for await (const text of input.readLines()) {
        if (isFirst && !header.safeParse(parsed(text)).success)
          throw new Error(`${file} is not a backup of this version of Overprint`);
        if (!isFirst) {
          const { object, ...records } = backupLine.parse(parsed(text));
          const path = `/v1/operator/records?${new URLSearchParams({ object })}`;
          const init = { method: "POST", headers: { "Content-Type": "application/json" } };
          const sent = await askDeployment(deployment, path, { ...init, body: JSON.stringify(records) });
          const count = answer.parse(sent).restored;
          restored += count;
          present += records.records.length - count;
        }
        isFirst = false;
      }
      surroundings.print(`${restored} records restored, ${present} were present`);
      return 0;
    },
  );
}

/** Parses JSON. Returns undefined for other text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
