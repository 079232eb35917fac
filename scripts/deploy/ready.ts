import type { LocalAccount } from "viem";
import type { Network } from "../../src/payments/wire/networks.ts";
import { settings as known } from "../../src/settings/schema.ts";
import { checkAccount, checkFacilitators, checkNode } from "./checks.ts";
import type { Deployment } from "./deployment.ts";
import { unforeseen } from "./failure.ts";
import { namesInForce } from "./inForce.ts";
import { complain, type Found, tell } from "./report.ts";
import { type DeploySettings, readSettings } from "./settings.ts";
import { payableNetworks, payerWith } from "./testSale.ts";
import type { Wrangler } from "./wrangler.ts";

/** A deployment whose checks have passed. */
export interface Ready {
  settings: DeploySettings;
  wrangler: Wrangler;
  sale: { payer: LocalAccount; networks: Network[] } | undefined;
}

/** Runs all checks and reports every failure. Returns undefined if a check fails. */
export async function checkAll(deployment: Deployment): Promise<Ready | undefined> {
  const { print, env, isDry } = deployment;
  let isGood = true;
  const attempt = async <T>(act: () => T | Promise<T>): Promise<T | undefined> => {
    try {
      return await act();
    } catch (error) {
      isGood = false;
      complain(print, unforeseen(error));
      return undefined;
    }
  };
  const tellFound = async (act: () => Found | Promise<Found>) => {
    const found = await attempt(act);
    if (found) tell(print, found);
  };

  await tellFound(() => checkNode(process.versions.node, deployment.engine));
  const settings = await attempt(() => readSettings(deployment.settingsFile, env));
  if (settings) {
    tell(print, { line: `Settings: ${settings.summary}`, warnings: settings.warnings });
    if (!settings.areElsewhere) await tellFound(() => checkFacilitators(settings.config));
  }
  const sale = await attempt(() => saleOf(deployment, settings));

  const wrangler = deployment.wrangler(settings?.cloudflare ?? {});
  const account = env.CLOUDFLARE_ACCOUNT_ID || settings?.cloudflare.CLOUDFLARE_ACCOUNT_ID || deployment.account;
  if (!isDry) await tellFound(() => checkAccount(wrangler, account));
  if (!isDry && isGood && settings && !settings.areElsewhere)
    for (const warning of await leftOver(wrangler, settings)) print(`! ${warning}`);
  return isGood && settings ? { settings, wrangler, sale } : undefined;
}

/** Returns a warning for each setting of the deployed Worker that this deployment does not set. */
async function leftOver(wrangler: Wrangler, { vars, secrets }: DeploySettings): Promise<string[]> {
  const names = (await namesInForce(wrangler)).filter((name) => name in known.shape);
  return names
    .filter((name) => !(name in vars) && !(name in secrets))
    .map((name) => `${name} is not set here. Its value at Cloudflare stays in force until you delete it there`);
}

/**
 * Returns the payer and the networks of the test sale, or undefined if no test sale is possible.
 * @throws Failure if the private key is malformed
 */
function saleOf({ key, print }: Deployment, settings: DeploySettings | undefined): Ready["sale"] {
  if (!settings || settings.areElsewhere || !settings.config.selling) return undefined;
  const networks = payableNetworks(settings.config.networks);
  if (key) {
    const payer = payerWith(key);
    if (networks.length > 0) return { payer, networks };
    print("! No test sale: it pays only on EVM test networks, and NETWORKS names none");
  } else if (networks.length > 0)
    print("! No test sale: set PRIVATE_KEY or --key-file to the key of a wallet with test money");
  return undefined;
}
