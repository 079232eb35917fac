import { PaymentError } from "../wire/errors.ts";
import type { EventContext } from "../wire/events.ts";
import type { FacilitatorClient } from "./facilitator.ts";
import type { RemoteFacilitator } from "./facilitatorHttp.ts";
import { DEVELOPMENT_KEY, localFacilitator } from "./localFacilitator.ts";
import { remoteFacilitator } from "./remoteFacilitator.ts";

/** The configured facilitators and their timeout. */
export interface FacilitatorSettings {
  /** The facilitators in order of preference. If the list is empty, the local facilitator verifies payments. */
  facilitators: readonly RemoteFacilitator[];
  facilitatorTimeoutMs: number;
}

/**
 * Returns clients of the facilitators, in order of preference. Each call gets new clients, because workerd forbids
 * `fetch` in the global scope.
 * @param allowLocal whether the local facilitator, which moves no money, may be used if none is configured
 * @throws PaymentError not_configured if no facilitator is configured and `allowLocal` is false
 */
export function facilitatorClients(
  settings: FacilitatorSettings,
  allowLocal: boolean,
  context: EventContext,
): FacilitatorClient[] {
  requireFacilitator(settings, allowLocal);
  const { facilitators } = settings;
  if (facilitators.length === 0) return [localFacilitator];
  return facilitators.map(({ url }) => facilitatorNamed(url, settings, context));
}

/**
 * Checks that a facilitator is available.
 * @throws PaymentError not_configured if no facilitator is configured and `allowLocal` is false
 */
export function requireFacilitator({ facilitators }: FacilitatorSettings, allowLocal: boolean): void {
  if (facilitators.length === 0 && !allowLocal)
    throw new PaymentError(
      "not_configured",
      "This deployment has no payment facilitator. Nothing was charged. Ask its operator to configure one.",
    );
}

/**
 * Returns the private key for test payments; undefined if real facilitators are configured. Only the local facilitator
 * accepts test payments, and it moves no money.
 * @param allowLocal as in {@link facilitatorClients}
 */
export function developmentKey({ facilitators }: FacilitatorSettings, allowLocal: boolean): string | undefined {
  return facilitators.length === 0 && allowLocal ? DEVELOPMENT_KEY : undefined;
}

/**
 * Returns the client of the facilitator with this name, even if the settings no longer list the facilitator. The
 * facilitator that verified a payment must also settle it.
 */
export function facilitatorNamed(
  name: string,
  { facilitators, facilitatorTimeoutMs }: FacilitatorSettings,
  context: EventContext,
): FacilitatorClient {
  if (name === localFacilitator.name) return localFacilitator;
  const listed = facilitators.find(({ url }) => url === name);
  return remoteFacilitator({ url: name, timeoutMs: facilitatorTimeoutMs, ...listed }, context);
}
