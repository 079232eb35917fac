import { PaymentError } from "./errors.ts";
import type { EventContext } from "./events.ts";
import type { FacilitatorClient } from "./facilitator.ts";
import { localFacilitator } from "./localFacilitator.ts";
import { type RemoteFacilitator, remoteFacilitator } from "./remoteFacilitator.ts";

/** The facilitators that are used, in order of preference. */
export interface FacilitatorSettings {
  /** None: payments are checked locally. */
  facilitators: readonly RemoteFacilitator[];
  facilitatorTimeoutMs: number;
}

/**
 * Clients of the facilitators, in order of preference. They are made anew for each call: workerd allows no fetch from
 * global scope.
 * @param allowLocal whether the local facilitator, which moves no money, may stand in where none is set
 * @throws PaymentError not_configured
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

/** Checks that there is somebody to settle. @throws PaymentError not_configured */
export function requireFacilitator({ facilitators }: FacilitatorSettings, allowLocal: boolean): void {
  if (facilitators.length === 0 && !allowLocal)
    throw new PaymentError(
      "not_configured",
      "The operator has not connected this deployment to a payment facilitator. Nothing was charged.",
    );
}

/** The client of this name, even where the settings no longer list it: who verified a payment has to settle it. */
export function facilitatorNamed(
  name: string,
  { facilitators, facilitatorTimeoutMs }: FacilitatorSettings,
  context: EventContext,
): FacilitatorClient {
  if (name === localFacilitator.name) return localFacilitator;
  const listed = facilitators.find(({ url }) => url === name);
  return remoteFacilitator({ url: name, timeoutMs: facilitatorTimeoutMs, ...listed }, context);
}
