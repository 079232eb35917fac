import { endpoint } from "../../src/settings/settingValues.ts";

/** The deployment that an operator's command works on. */
export interface Deployment {
  url: string;
  token: string;
}

/**
 * Returns the deployment of a command from its option `--url` and the settings.
 * @throws Error if the URL is invalid or OPERATOR_TOKEN is missing
 */
export function deploymentFrom(asked: string | undefined, settings: Record<string, string | undefined>): Deployment {
  const { OPERATOR_TOKEN: token, OVERPRINT_URL } = settings;
  const url = asked ?? OVERPRINT_URL ?? "http://127.0.0.1:8787";
  const checked = endpoint.safeParse(url); // checks the URL, because the operator's token is sent to it
  if (!checked.success) throw new Error(`--url ${checked.error.issues[0]!.message}`);
  if (!token) throw new Error("OPERATOR_TOKEN is not set. Set it to the token of the deployment");
  return { url, token };
}

/** The error for a route that a deployment does not have. */
export class MissingRoute extends Error {}

/**
 * Sends a request to a route of the operator, and returns the JSON of the answer.
 * @throws MissingRoute if the deployment has no such route; Error if the answer is not 2xx, with a message for the operator
 */
export async function askDeployment(
  { url, token }: Deployment,
  path: string,
  init: RequestInit = {},
): Promise<unknown> {
  const { origin } = new URL(url);
  const headers = { ...init.headers, Authorization: `Bearer ${token}` };
  const answer = await fetch(new URL(path, url), { ...init, headers, redirect: "error" }).catch(
    ({ cause, message }: Error) => {
      throw new Error(`${origin} cannot be reached: ${cause instanceof Error ? cause.message : message}`);
    },
  );
  const body = (await answer.json().catch(() => ({}))) as { code?: string; detail?: string };
  if (answer.ok) return body;
  if (answer.status === 404)
    throw new MissingRoute(`${origin} has no OPERATOR_TOKEN, or is no Overprint deployment of this version`);
  if (body.code === "invalid_token") throw new Error(`${origin} has another OPERATOR_TOKEN`);
  throw new Error(`${origin} answered ${answer.status}: ${body.detail ?? "no reason"}`);
}
