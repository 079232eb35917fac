/** Reads the books of a deployment: the sales that its operator can see. */
import { type SalesPage, salesPage } from "../../src/service/account/sales.ts";
import { askDeployment, type Deployment } from "./operatorApi.ts";

/** A sale as `GET /v1/operator/sales` returns it. */
export type Sale = SalesPage["sales"][number];
export type SoldOn = SalesPage["networks"][number];

const DAY_MS = 86_400_000;

/**
 * Reads all sales of the UTC days that overlap a time span (Unix milliseconds), and the networks on which the
 * deployment sells now.
 * @throws Error with a message for the operator, if the sales cannot be read
 */
export async function readBooks(
  deployment: Deployment,
  since: number,
  until: number,
): Promise<{ sales: Sale[]; networks: SoldOn[] }> {
  const sales: Sale[] = [];
  let networks: SoldOn[] = [];
  for (let day = Math.floor(since / DAY_MS); day * DAY_MS <= until; day++)
    for (let after: string | null = ""; after !== null; ) {
      const asked = new URLSearchParams({ day: new Date(day * DAY_MS).toISOString().slice(0, 10) });
      if (after) asked.set("after", after);
      const page = await readPage(deployment, asked);
      sales.push(...page.sales);
      ({ networks, next: after } = page);
    }
  return { sales, networks };
}

async function readPage(deployment: Deployment, asked: URLSearchParams): Promise<SalesPage> {
  const page = salesPage().safeParse(await askDeployment(deployment, `/v1/operator/sales?${asked}`));
  if (page.success) return page.data;
  throw new Error(`${new URL(deployment.url).origin} did not answer with the sales of an Overprint deployment`);
}
