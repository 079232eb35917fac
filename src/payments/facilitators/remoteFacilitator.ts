import { connect } from "cloudflare:sockets";
import * as z from "zod";
import type { EventContext } from "../wire/events.ts";
import { isSolana } from "../wire/networks.ts";
import type { PaymentPayload } from "../wire/paymentPayload.ts";
import { askingFacilitator, reasonOf } from "./askFacilitator.ts";
import type { FacilitatorClient, Settlement } from "./facilitator.ts";
import type { RemoteFacilitator } from "./facilitatorHttp.ts";
import { feePayersOn, type Supported, settles, signersOn } from "./supported.ts";

/**
 * Error strings for a used or canceled authorization. Facilitators may use any error string. This pattern and the
 * patterns below recognize the strings that reveal what happened to the money.
 */
const ALREADY_USED =
  /already.?(been.?)?(used|settled|processed)|authorization is used|nonce.?(is.?)?used|UsedOrCanceled|duplicate/i;
/** Error strings for a transaction that the chain rejected. The strings do not name the reason. */
const REVERTED = /invalid_transaction_state|failed_onchain|revert/i;
/** Error strings for a failed simulation of the transaction. The strings do not name the reason. */
const SIMULATED = /simulation_failed/i;
/**
 * Error strings for a failure while sending the transaction. Official facilitators report them without a transaction
 * hash for every such failure. Even then, a node may have accepted the transaction if the node's answer was lost.
 */
const NOT_SENT = /transaction_failed|failed_to_execute/i;
/**
 * Error strings for a payer who lacks the money. If the answer contains no transaction hash, the facilitator has
 * checked the balance before sending.
 */
const NO_FUNDS = /balance|funds/i;
/** Error strings for a sent transaction whose outcome the facilitator does not know. */
const NOT_SURE = /pending|time[ds]? ?.?out|timeout|unexpected|not.?confirmed|could not be found|receipt/i;
/**
 * Error strings for a failure of the facilitator's node, possibly after the node accepted the transaction. The official
 * facilitators and viem use these words.
 */
const NODE_FAILED = /node_failure|unknown_error|took too long|HTTP request failed/i;
/**
 * Error strings on Solana for a transaction that may have been sent. Official facilitators use the same words for a
 * failed transaction, an unsent transaction, and a transaction of unknown outcome. They detect all other errors before
 * sending.
 */
const SOLANA_NOT_SURE = /transaction_failed|settle_|post_settlement|execute_transfer|height/i;
const SOLANA_SIMULATION_HINT =
  "the wallet lacks the money, or the blockhash has expired. A blockhash lasts about a minute, and the work may take longer. Sign a new transaction";

/**
 * HTTP statuses of a request that was not processed, for a reason other than its payment. Cloudflare answers a Worker
 * with a status above 520 if it cannot connect: connection refused, host unreachable, no TLS, unknown name.
 */
const NOT_PROCESSED = new Set([401, 403, 429, 521, 523, 525, 526, 530]);

/** A transaction hash on an EVM chain. All zeros mean that no transaction exists. */
const HASH = /^0x0*[1-9a-f]/i;

/**
 * Maximum wait for a connection attempt, in milliseconds. If the attempt is still pending after this time, the address
 * counts as reachable.
 */
const CONNECT_MS = 1000;

const text = z.string().nullish();
const verifyAnswer = z.object({ isValid: z.boolean(), invalidReason: text });
const settlement = z.object({
  success: z.boolean(),
  errorReason: text,
  transaction: text,
  network: text,
  payer: text,
});
/** An error of Coinbase's API whose type shows that the facilitator has tried to settle. */
const settleError = z.object({ errorType: z.string().startsWith("settle_") });
const settleAnswer = settlement.or(
  settleError.transform(({ errorType }) => settlement.parse({ success: false, errorReason: errorType })),
);

/**
 * Creates the client of a facilitator reached over HTTP. The calls `POST /verify` and `POST /settle` are the same in
 * both versions of x402.
 */
export function remoteFacilitator(facilitator: RemoteFacilitator, context: EventContext): FacilitatorClient {
  const { url, supported } = facilitator;
  const ask = askingFacilitator(facilitator, context);

  return {
    name: url,
    signersOn: (network) => signersOn(supported, network),

    async verify(payment, abandoned) {
      // leaves the payment to another facilitator, which may support it
      if (!isFor(payment, supported)) return { outcome: "unknown" };
      let { answer, isLost, rejection } = await ask("verify", payment.request, verifyAnswer, abandoned);
      // Repeats the request, because the server may have just closed the kept-alive connection. A verification moves no
      // money, so a retry is safe.
      if (isLost) ({ answer, rejection } = await ask("verify", payment.request, verifyAnswer, abandoned));
      if (rejection !== undefined) return { outcome: "rejected", reason: rejection };
      if (!answer) return { outcome: "unknown" };
      return answer.isValid
        ? { outcome: "valid" }
        : { outcome: "invalid", reason: explained(payment, reasonOf(answer.invalidReason)) };
    },

    async settle(payment) {
      if (await refusesConnections(new URL(url)))
        return { outcome: "unprocessed", reason: "facilitator_unavailable: the facilitator cannot be reached" };
      const { answer, status, rejection } = await ask("settle", payment.request, settleAnswer);
      if (rejection !== undefined) return { outcome: "refused", reason: rejection };
      if (!answer && status !== undefined && NOT_PROCESSED.has(status))
        return { outcome: "unprocessed", reason: `facilitator_unavailable: the facilitator answered ${status}` };
      if (!answer) return { outcome: "unknown" };
      const named = answer.transaction ?? "";
      const transaction = isSolana(payment.chain) || HASH.test(named) ? named : "";
      if (answer.success)
        return transaction !== "" && isAbout(payment, answer)
          ? { outcome: "settled", transaction }
          : { outcome: "unknown" };

      const reason = reasonOf(answer.errorReason);
      if (isSolana(payment.chain)) return solanaOutcome(payment, reason, transaction);
      if (ALREADY_USED.test(reason)) return { outcome: "used", reason };
      if (isUnsure(reason)) return { outcome: "unknown", ...(transaction && { transaction }) };
      if (transaction !== "") return { outcome: "reverted", reason };
      if (NOT_SENT.test(reason)) return { outcome: "unsent", reason };
      if (NO_FUNDS.test(reason)) return { outcome: "refused", reason };
      if (SIMULATED.test(reason)) return { outcome: "simulated", reason };
      return { outcome: REVERTED.test(reason) ? "reverted" : "refused", reason };
    },
  };
}

/**
 * Returns whether a facilitator can settle a payment. If the account that pays the fee on Solana is known, only the
 * facilitator that owns this account can settle the payment.
 */
function isFor({ chain, version, transfer }: PaymentPayload, supported: Supported | undefined): boolean {
  if (isSolana(chain) && transfer && chain.feePayers[version].includes(transfer.feePayer))
    return feePayersOn(supported, chain, version).includes(transfer.feePayer);
  return settles(supported, chain, version);
}

/**
 * Interprets a refusal on Solana. A "duplicate" error shows that the transaction was sent before, but not whether it
 * succeeded. The error is therefore treated as an ordinary refusal. If the outcome of an earlier attempt is unknown,
 * this outcome stays unknown.
 */
function solanaOutcome(payment: PaymentPayload, reason: string, transaction: string): Settlement {
  if (isUnsure(reason) || SOLANA_NOT_SURE.test(reason))
    return { outcome: "unknown", ...(transaction && { transaction }) };
  return { outcome: "refused", reason: explained(payment, reason) };
}

function isUnsure(reason: string): boolean {
  return NOT_SURE.test(reason) || NODE_FAILED.test(reason);
}

function explained({ chain }: PaymentPayload, reason: string): string {
  return isSolana(chain) && SIMULATED.test(reason) ? `${reason}: ${SOLANA_SIMULATION_HINT}` : reason;
}

/**
 * Returns whether a settlement answer is about this payment. The network and the payer are compared only if the answer
 * names them.
 */
function isAbout({ chain, authorization }: PaymentPayload, answer: z.infer<typeof settleAnswer>): boolean {
  const names: string[] = [chain.name, chain.caip2];
  if (answer.network && !names.includes(answer.network)) return false;
  return !answer.payer || answer.payer.toLowerCase() === authorization.from.toLowerCase();
}

/**
 * Returns whether an address refuses connections. Checks only plain http addresses, such as that of a facilitator in
 * the operator's own network. For plain http, workerd cannot distinguish a refused connection from a connection that
 * was cut after the request. For https, the HTTP status makes this distinction ({@link NOT_PROCESSED}).
 */
async function refusesConnections({ protocol, hostname, port }: URL): Promise<boolean> {
  if (protocol !== "http:") return false;
  const socket = connect({ hostname, port: Number(port || 80) });
  const opened = socket.opened.then(
    () => true,
    () => false,
  );
  const possible = await Promise.race([opened, new Promise<true>((resolve) => setTimeout(resolve, CONNECT_MS, true))]);
  void socket.close().catch(() => undefined);
  return !possible;
}
