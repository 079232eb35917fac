import * as z from "zod";
import { healthSchema } from "../../src/service/about/health.ts";
import { channelsPage } from "../../src/service/account/channels.ts";
import { page } from "../backup/format.ts";
import { COMPATIBILITY, type Compatibility, compatibility } from "../lib/compatibility.ts";
import { askDeployment, type Deployment, MissingRoute } from "../lib/operatorApi.ts";

/** A running deployment as an upgrade finds it. */
export interface Deployed {
  health: z.output<typeof health>;
  /** The description of the deployed build. Undefined for a build that does not describe itself, such as 0.2.0. */
  build: Compatibility | undefined;
  /**
   * Times at which the open payments began to settle, in Unix milliseconds. Undefined if the build does not list them.
   */
  openPayments: number[] | undefined;
  /** The payment channels with unclaimed sales. Undefined if the build does not list them. */
  openChannels: { deadline: Date | undefined }[] | undefined;
}

/** The answer of /healthz. A newer build may add fields. */
const health = z.object(healthSchema().shape);

/** Parses the JSON of an open payment. Returns the time at which the payment began to settle. */
const listedPayment = z.string().transform((text) => z.object({ at: z.number() }).parse(JSON.parse(text)).at);

/**
 * Reads the state of a deployment. Changes nothing.
 * @throws Error with a message for the operator if the deployment cannot be read
 */
export async function readDeployed(deployment: Deployment): Promise<Deployed> {
  await askDeployment(deployment, `/v1/operator/sales?day=${new Date().toISOString().slice(0, 10)}`); // checks OPERATOR_TOKEN, which every version has
  const [found, build, openPayments, openChannels] = await Promise.all([
    readPublic(deployment, "/healthz", health),
    readPublic(deployment, COMPATIBILITY, compatibility),
    ifKnown(readOpenPayments(deployment)),
    ifKnown(readOpenChannels(deployment)),
  ]);
  if (!found) throw new Error(`${new URL(deployment.url).origin}/healthz does not answer as Overprint does`);
  return { health: found, build, openPayments, openChannels };
}

/** Reads a public document from an answer of any status. Returns undefined if the answer has another form. */
async function readPublic<T extends z.ZodType>({ url }: Deployment, path: string, schema: T) {
  const answer = await fetch(new URL(path, url), { redirect: "error" });
  return schema.safeParse(await answer.json().catch(() => undefined)).data;
}

async function readOpenPayments(deployment: Deployment): Promise<number[]> {
  const times: number[] = [];
  for (let after: string | null = ""; after !== null; ) {
    const query = new URLSearchParams({ object: "payments", ...(after && { after }) });
    const read = page.parse(await askDeployment(deployment, `/v1/operator/records?${query}`));
    times.push(...read.records.map(([, value]) => listedPayment.parse(value)));
    after = read.next;
  }
  return times;
}

async function readOpenChannels(deployment: Deployment): Promise<{ deadline: Date | undefined }[]> {
  const { channels } = channelsPage().parse(await askDeployment(deployment, "/v1/operator/channels"));
  return channels.map(({ deadline }) => ({ deadline: deadline === null ? undefined : new Date(deadline) }));
}

/** Resolves to undefined if the deployment is too old for the request. */
async function ifKnown<T>(answer: Promise<T>): Promise<T | undefined> {
  return answer.catch((error: unknown) => {
    if (error instanceof MissingRoute) return undefined;
    throw error;
  });
}
