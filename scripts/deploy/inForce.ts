import type { Wrangler } from "./wrangler.ts";

/**
 * Returns the names of the variables and secrets that the deployed Worker has. The list is empty if the Worker is not
 * deployed yet, or if its variables cannot be read.
 */
export async function namesInForce(wrangler: Wrangler): Promise<string[]> {
  const deployed = await wrangler(["deployments", "status", "--json"]);
  if (!deployed.ok) return [];
  const { versions } = JSON.parse(deployed.stdout) as { versions: { version_id: string; percentage: number }[] };
  const [newest] = versions.toSorted((one, other) => other.percentage - one.percentage);
  const viewed = newest && (await wrangler(["versions", "view", newest.version_id, "--json"]));
  if (!viewed?.ok) return [];
  const { resources } = JSON.parse(viewed.stdout) as { resources: { bindings: { type: string; name: string }[] } };
  return resources.bindings.filter(({ type }) => /^(plain_text|json|secret_text)$/.test(type)).map(({ name }) => name);
}
