/** Deletes results on behalf of the operator, for a reported link or for a payer. */
import * as z from "zod";
import { once } from "../../shared/once.ts";
import { bucketOf } from "../../storage/bucket.ts";
import { linkOf, takeDown } from "../../storage/link.ts";
import { listPurchases } from "./purchases.ts";

/** Schema of the answer to `DELETE /v1/operator/results`. */
export const takedownAnswer = once(() =>
  z.strictObject({ removed: z.array(z.string()).describe("Ids of the results that are deleted now.") }),
);

/** A result by its id, or all results of a payer. */
export type Takedown = { id: string } | { payer: string };

/**
 * Deletes the file of a result, or of all results of a payer. Their links answer 410 from now on. The records of the
 * payments remain, because they prevent a second sale and belong to the books.
 * @returns the ids of the deleted results
 */
export async function takeDownResults(env: Env, what: Takedown): Promise<string[]> {
  const ids = "id" in what ? [what.id] : await resultsOf(env, what.payer);
  const removed = await Promise.all(ids.map((id) => takeDown(bucketOf(env), id, Date.now())));
  return ids.filter((_, at) => removed[at]);
}

async function resultsOf(env: Env, address: string): Promise<string[]> {
  const ids: string[] = [];
  for (let before: string | null | undefined; before !== null; ) {
    const page = await listPurchases(env, { address, onlyOn: undefined }, before);
    ids.push(...page.purchases.map(({ url }) => linkOf(url).id));
    before = page.next;
  }
  return ids;
}
