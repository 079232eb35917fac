import { type SignedIn, type SignInTerms, signedInBy } from "../../payments/sale/signIn.ts";
import { PaymentError } from "../../payments/wire/errors.ts";
import type { PaymentPayload } from "../../payments/wire/paymentPayload.ts";
import { isOwnHost } from "../request/ownHosts.ts";
import type { Exchange } from "./callContext.ts";

/** Header with a caller's sign-in. */
export const SIGN_IN = "SIGN-IN-WITH-X";

/** Returns the terms that the sign-in sent with a request must contain. */
export function signInTerms({ request, config }: Pick<Exchange, "request" | "config">): SignInTerms {
  const { networks, rpcUrls } = config;
  return { url: new URL(request.url), networks, rpcUrls, now: Date.now() };
}

/**
 * Returns the signer of a request's sign-in. Returns undefined if the request has no sign-in.
 * @throws PaymentError sign_in_refused
 */
export async function signedIn(exchange: Pick<Exchange, "request" | "config">): Promise<SignedIn | undefined> {
  const { request, config } = exchange;
  const header = request.headers.get(SIGN_IN);
  if (header === null) return undefined;
  const terms = signInTerms(exchange);
  const { hostname } = terms.url;
  // another site may collect sign-ins from its visitors, so a sign-in that names another host is not valid here
  if (!isOwnHost(request, config))
    throw new PaymentError(
      "sign_in_refused",
      `You cannot sign in at ${hostname}. Call this service by its own host name.`,
    );
  return signedInBy(header, terms);
}

/**
 * Returns whether the payer of a payment has signed in.
 * @throws PaymentError sign_in_refused
 */
export async function isSignedIn(
  { authorization, chain }: PaymentPayload,
  exchange: Pick<Exchange, "request" | "config">,
): Promise<boolean> {
  const who = await signedIn(exchange);
  if (who?.address.toLowerCase() !== authorization.from.toLowerCase()) return false;
  return who.onlyOn === undefined || who.onlyOn === chain.caip2;
}
