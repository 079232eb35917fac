import { parseArgs } from "node:util";
import { formatUnits, type Hex } from "viem";
import { readSecretFile } from "../../cli/secretFile.ts";
import { channelsPage } from "../../src/service/account/channels.ts";
import { privateKey } from "../../src/settings/settingValues.ts";
import { readEnvFile, withoutEmpty } from "../deploy/settings.ts";
import { runCommand, type Surroundings } from "../lib/command.ts";
import { askDeployment, type Deployment, deploymentFrom } from "../lib/operatorApi.ts";
import { claimChannels, type ListedChannel, nodesByChain, type OpenOnChain, openOnChain } from "./onChain.ts";

const USAGE = `usage: npm run channels -- [--url https://…] [--claim --key-file FILE] [--json]
FILE contains the private key of an account with gas on the chains of the channels`;

const OPTIONS = {
  url: { type: "string" },
  claim: { type: "boolean", default: false },
  "key-file": { type: "string" },
  json: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

/** The arguments of the command. */
interface Asked extends Deployment {
  rpcUrls: string[];
  json: boolean;
  /** The private keys that sign and send a claim. Undefined if the command does not claim. */
  claim: { signer: Hex; sender: Hex } | undefined;
}

/**
 * Lists the channels of a deployment that have an unclaimed amount. With `--claim`, also claims these amounts.
 * @returns the exit code: 1 if a claim is missing on a chain, 2 if the command fails, otherwise 0
 */
export function channels(args: string[], surroundings: Surroundings): Promise<0 | 1 | 2> {
  const { settingsFile, env, print } = surroundings;
  return runCommand(
    surroundings,
    USAGE,
    async () => readAsked(args, { ...(await readEnvFile(settingsFile)), ...withoutEmpty(env) }),
    async (asked) => {
      const nodes = await nodesByChain(asked.rpcUrls);
      const read = async () => openOnChain(await listed(asked), nodes);
      let open = await read();
      if (asked.claim) {
        const say = asked.json ? () => {} : print;
        for (const transaction of await claimChannels(open, nodes, asked.claim)) say(`transaction ${transaction}`);
        open = await read();
      }
      print(asked.json ? JSON.stringify({ channels: open.map(summaryOf) }, null, 2) : wordsOf(open));
      return asked.claim && open.length > 0 ? 1 : 0;
    },
  );
}

function readAsked(args: string[], settings: Record<string, string | undefined>): Asked | undefined {
  const { values } = parseArgs({ args, options: OPTIONS });
  if (values.help) return undefined;
  const { RPC_URL: nodes, CHANNEL_KEY: signer } = settings;
  const { url, token } = deploymentFrom(values.url, settings);
  if (!nodes) throw new Error("RPC_URL is not set. Set it to a node of each chain, as for the deployment");
  const rpcUrls = nodes.split(",").flatMap((node) => node.trim() || []);
  const keyFile = values["key-file"];
  if (values.claim !== (keyFile !== undefined)) throw new Error("--claim and --key-file need each other");
  if (keyFile === undefined) return { url, token, rpcUrls, json: values.json, claim: undefined };
  const [own, sender] = [privateKey.safeParse(signer), privateKey.safeParse(readSecretFile(keyFile).trim())];
  if (!own.success) throw new Error("CHANNEL_KEY is not set. Set it to the key of the deployment, which signs claims");
  if (!sender.success) throw new Error("--key-file contains no private key, which is 0x and 64 hexadecimal digits");
  return { url, token, rpcUrls, json: values.json, claim: { signer: own.data, sender: sender.data } };
}

/** Returns the channels of a deployment that have unclaimed sales. */
async function listed(asked: Asked): Promise<ListedChannel[]> {
  return channelsPage().parse(await askDeployment(asked, "/v1/operator/channels")).channels;
}

const moneyOf = (amount: bigint, { decimals }: OpenOnChain) => formatUnits(amount, decimals);

function summaryOf(channel: OpenOnChain): object {
  const { id, network, payer, outstanding, claimed, balance, deadline } = channel;
  return {
    ...{ channel: id, network, payer },
    outstanding: moneyOf(outstanding, channel),
    claimed: moneyOf(claimed, channel),
    balance: moneyOf(balance, channel),
    claim_before: deadline?.toISOString() ?? null,
  };
}

function wordsOf(open: OpenOnChain[]): string {
  if (open.length === 0) return "Everything that was sold through channels is claimed";
  return open
    .map((channel) => {
      const until = channel.deadline ? `; the payer withdraws from ${channel.deadline.toISOString()} on` : "";
      const amounts = `${moneyOf(channel.outstanding, channel)} unclaimed, ${moneyOf(channel.claimed, channel)} claimed`;
      return `${channel.id} on ${channel.network}: ${amounts}${until}`;
    })
    .join("\n");
}
