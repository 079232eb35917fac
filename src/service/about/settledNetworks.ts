import { askSupported, type RemoteFacilitator } from "../../payments/facilitators/facilitatorHttp.ts";
import { feePayersOn, settles, supportsChannels } from "../../payments/facilitators/supported.ts";
import type { ChannelTerms } from "../../payments/wire/channelOffer.ts";
import { isSolana, type Network } from "../../payments/wire/networks.ts";
import type { Config } from "../../settings/config.ts";
import { describeError } from "../../shared/log.ts";

/**
 * A deployment's settings, limited to the networks on which its facilitators settle payments, and the problems that
 * were found.
 */
export interface SettledNetworks {
  config: Config;
  /** Problems for the operator. The texts name settings and networks, but contain no values of settings. */
  problems: string[];
  /** Error messages of failed requests to facilitators, with the facilitators' hosts. */
  errors: string[];
}

/**
 * Asks the facilitators on which networks they settle payments. Returns the settings with the facilitators' answers,
 * and without each network and x402 version in which no facilitator settles payments. If a facilitator does not answer,
 * its last known answer is used. A facilitator that has never answered counts as settling payments on every network
 * except Solana.
 */
export async function settledNetworks(config: Config): Promise<SettledNetworks> {
  const answers = await Promise.all(config.facilitators.map(ask));
  const facilitators = answers.map(({ facilitator }) => facilitator);
  const isSettled = (network: Network) => (version: 1 | 2) =>
    (facilitators.length === 0 && !isSolana(network)) ||
    facilitators.some(({ supported }) => settles(supported, network, version));
  const networks = config.networks.map((network) => {
    const versions = network.versions.filter(isSettled(network));
    if (!isSolana(network)) return { ...network, versions };
    const feePayers = (version: 1 | 2) =>
      facilitators.flatMap(({ supported }) => feePayersOn(supported, network, version));
    return { ...network, versions, feePayers: { 1: feePayers(1), 2: feePayers(2) } };
  });
  const problems = [
    ...answers.flatMap(({ error, facilitator }, at) => {
      if (error === undefined) return [];
      const fault = facilitator.supported ? "no longer answers" : "does not list the networks that it settles";
      return `facilitator ${at + 1} of FACILITATOR_URL ${fault}`;
    }),
    ...networks.flatMap((network, at) =>
      config.networks[at]!.versions.filter((version) => !network.versions.includes(version)).map((version) => {
        const lacks = isSolana(network) ? "says who pays the fee on" : "settles";
        return `no facilitator ${lacks} ${network.name} in version ${version} of x402: this combination is not offered`;
      }),
    ),
  ];
  const offered = networks.filter(({ versions }) => versions.length > 0);
  return {
    config: { ...config, facilitators, networks: offered, channels: await channelTerms(config, facilitators, offered) },
    problems,
    errors: answers.flatMap(({ error }) => error ?? []),
  };
}

/**
 * Returns the terms of payment channels, for the networks on which a facilitator supports them. Returns undefined
 * without CHANNEL_KEY. A facilitator that has never answered counts as supporting no channels.
 */
async function channelTerms(
  { channelKey, channelWithdrawDelaySeconds, channelMinDepositCalls }: Config,
  facilitators: RemoteFacilitator[],
  networks: Network[],
): Promise<ChannelTerms | undefined> {
  if (channelKey === undefined) return undefined;
  const chains = networks
    .filter(
      (network) => !isSolana(network) && facilitators.some(({ supported }) => supportsChannels(supported, network)),
    )
    .map(({ caip2 }) => caip2);
  const { channelSigner } = await import("../../payments/wire/channelKey.ts");
  return {
    receiverAuthorizer: channelSigner(channelKey),
    withdrawDelay: channelWithdrawDelaySeconds,
    minDepositCalls: channelMinDepositCalls,
    chains,
  };
}

async function ask(facilitator: RemoteFacilitator): Promise<{ facilitator: RemoteFacilitator; error?: string }> {
  try {
    return { facilitator: { ...facilitator, supported: await askSupported(facilitator) } };
  } catch (error) {
    return { facilitator, error: `${new URL(facilitator.url).host}: ${describeError(error)}` };
  }
}
