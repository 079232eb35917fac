/** Reads the books of a deployment: the sales that its operator can see. */
import { type SalesPage, salesPage } from "../../src/service/account/sales.ts";

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
  url: string,
  token: string,
  since: number,
  until: number,
): Promise<{ sales: Sale[]; networks: SoldOn[] }> {
  const sales: Sale[] = [];
  let networks: SoldOn[] = [];
  for (let day = Math.floor(since / DAY_MS); day * DAY_MS <= until; day++)
    for (let after: string | null = ""; after !== null; ) {
      const asked = new URL("/v1/operator/sales", url);
      asked.searchParams.set("day", new Date(day * DAY_MS).toISOString().slice(0, 10));
      if (after) asked.searchParams.set("after", after);
      const page = await readPage(asked, token);
      sales.push(...page.sales);
      ({ networks, next: after } = page);
    }
  return { sales, networks };
}

async function readPage(url: URL, token: string): Promise<SalesPage> {
  const response = await fetch(url, { headers: { Authorization: `Bearer ${token}` }, redirect: "manual" }).catch(
    ({ cause, message }: Error) => {
      throw new Error(`${url.origin} cannot be reached: ${cause instanceof Error ? cause.message : message}`);
    },
  );
  if (response.ok) {
    const page = salesPage().safeParse(await response.json().catch(() => undefined));
    if (page.success) return page.data;
    throw new Error(`${url.origin} did not answer with the sales of an Overprint deployment`);
  }
  await response.body?.cancel();
  if (response.status === 404)
    throw new Error(`${url.origin} has no OPERATOR_TOKEN, or is not an Overprint deployment`);
  if (response.status === 403) throw new Error(`${url.origin} has another OPERATOR_TOKEN`);
  throw new Error(`${url.origin} answered ${response.status} to the request for its sales`);
}
