import * as z from "zod";

/** Version of the backup's format. */
export const FORMAT = 1;

/** Schema of the first line of a backup. */
export const header = z.object({ overprint: z.literal("backup"), format: z.literal(FORMAT), at: z.string() });

/** Schema of a page of records, as `GET /v1/operator/records` returns it. */
export const page = z.object({
  /** Version of the records. Backups of older deployments do not contain it. */
  version: z.int().default(1),
  alarm: z.number().nullable(),
  records: z.array(z.tuple([z.string(), z.unknown()])),
  next: z.string().nullable(),
});

/** Schema of every further line of a backup: records of one object of the ledger. */
export const backupLine = page.omit({ next: true }).extend({ object: z.string() });
