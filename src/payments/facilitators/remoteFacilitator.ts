import { connect } from "cloudflare:sockets";
import * as z from "zod";
import type { EventContext } from "../wire/events.ts";
import { isSolana } from "../wire/networks.ts";
import type { PaymentPayload } from "../wire/paymentPayload.ts";
import type { FacilitatorClient, Settlement } from "./facilitator.ts";
import { authorization, boundedText, type RemoteFacilitator } from "./facilitatorHttp.ts";
import { feePayersOn, type Supported, settles, signersOn } from "./supported.ts";

/**
 * The authorization has been used or canceled. Facilitators' error strings are an open set; these patterns pick out the ones
 * that tell what happened to the money.
 */
const ALREADY_USED =
  /already.?(been.?)?(used|settled|processed)|authorization is used|nonce.?(is.?)?used|UsedOrCanceled|duplicate/i;
/** The chain rejected the transaction, and no cause is given. */
const REVERTED = /invalid_transaction_state|failed_onchain|revert/i;
/** The transaction can't be executed now, and no cause is given. */
const SIMULATED = /simulation_failed/i;
/**
 * Without a transaction's hash official facilitators say this of all that went wrong as they sent it: also of a node that
 * took it, and whose answer was lost.
 */
const NOT_SENT = /transaction_failed|failed_to_execute/i;
/** The payer lacks the money: this is found out before the transaction is sent, unless its hash is told. */
const NO_FUNDS = /balance|funds/i;
/** The transaction was sent, but the facilitator does not know its outcome. */
const NOT_SURE = /pending|time[ds]? ?.?out|timeout|unexpected|not.?confirmed|could not be found|receipt/i;
/** The facilitator's node has failed it, maybe after it took the transaction. Official facilitators' own words, and viem's. */
const NODE_FAILED = /node_failure|unknown_error|took too long|HTTP request failed/i;
/**
 * On Solana, the transaction was sent, or may have been: official facilitators say the same of one that failed, one that
 * could not be sent, and one that they have lost sight of. Everything else they find out before they send it.
 */
const SOLANA_NOT_SURE = /transaction_failed|settle_|post_settlement|execute_transfer|height/i;
const SOLANA_SIMULATION_HINT =
  "the wallet lacks the money, or the blockhash has lapsed: it lasts about a minute, and the work may take longer. Sign anew";

/**
 * HTTP statuses of a request that nobody has worked on. Cloudflare answers a Worker with those above 520 where it could
 * not connect: refused, unreachable, no TLS, no such name.
 */
const NOT_PROCESSED = new Set([400, 401, 403, 404, 429, 521, 523, 525, 526, 530]);

/** Of a transaction on an EVM chain; zeros stand for none. */
const HASH = /^0x0*[1-9a-f]/i;

const NO_REASON = "the facilitator gave no reason";
const MAX_REASON_LENGTH = 200;
/** How long it may take to connect, before the connection counts as possible. */
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
/** An error of Coinbase's API: of this type it has tried to settle. */
const settleError = z.object({ errorType: z.string().startsWith("settle_") });
const settleAnswer = settlement.or(
  settleError.transform(({ errorType }) => settlement.parse({ success: false, errorReason: errorType })),
);

/**
 * Creates the client of a facilitator reached over HTTP: `POST /verify` and `POST /settle`, the same in both versions
 * of x402.
 */
export function remoteFacilitator(
  { url, timeoutMs, auth, supported }: RemoteFacilitator,
  { requestId, log }: EventContext,
): FacilitatorClient {
  /**
   * Returns the facilitator's verdict from a 200 or a 4xx (facilitators refuse with either), or the HTTP status alone if
   * there is none. A 5xx is never a verdict, whatever its body. `isLost` is set where the connection broke before any answer.
   */
  async function ask<S extends z.ZodType>(
    call: "verify" | "settle",
    payment: PaymentPayload,
    schema: S,
    unwanted?: AbortSignal,
  ): Promise<{ answer?: z.output<S>; status?: number; isLost?: boolean }> {
    const endpoint = new URL(`${url.replace(/\/+$/, "")}/${call}`);
    const failure = { event: "facilitator", request_id: requestId, host: endpoint.host, call } as const;
    const tooLate = AbortSignal.timeout(timeoutMs);
    let status: number | undefined;
    try {
      const response = await fetch(endpoint, {
        method: "POST",
        headers: { "Content-Type": "application/json", ...(await authorization(endpoint, auth)) },
        body: payment.request,
        redirect: "manual",
        signal: unwanted ? AbortSignal.any([tooLate, unwanted]) : tooLate,
      });
      ({ status } = response);
      const answer = schema.safeParse(JSON.parse(await boundedText(response)));
      if (answer.success && status < 500) return { answer: answer.data, status };
      log({ ...failure, status });
    } catch (error) {
      if (unwanted?.aborted) return {};
      log({ ...failure, ...(status && { status }), error: String(error) });
      if (status === undefined) return { isLost: (error as Error).name !== "TimeoutError" };
    }
    return { status };
  }

  return {
    name: url,
    signersOn: (network) => signersOn(supported, network),

    async verify(payment, unwanted) {
      if (!isFor(payment, supported)) return { outcome: "unknown" }; // another may
      let { answer, isLost } = await ask("verify", payment, verifyAnswer, unwanted);
      // a connection kept since an earlier call may just have been closed; a verification moves nothing
      if (isLost) ({ answer } = await ask("verify", payment, verifyAnswer, unwanted));
      if (!answer) return { outcome: "unknown" };
      return answer.isValid
        ? { outcome: "valid" }
        : { outcome: "invalid", reason: explained(payment, reasonOf(answer.invalidReason)) };
    },

    async settle(payment) {
      if (await refusesConnections(new URL(url)))
        return { outcome: "unprocessed", reason: "facilitator_unavailable: the facilitator cannot be reached" };
      const { answer, status } = await ask("settle", payment, settleAnswer);
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
 * Returns whether a facilitator may be the one to settle a payment: on Solana the one that pays the fee, where it is known
 * which of them does.
 */
function isFor({ chain, version, transfer }: PaymentPayload, supported: Supported | undefined): boolean {
  if (isSolana(chain) && transfer && chain.feePayers[version].includes(transfer.feePayer))
    return feePayersOn(supported, chain, version).includes(transfer.feePayer);
  return settles(supported, chain, version);
}

/**
 * Interprets a refusal on Solana. "Duplicate" is one like any other: somebody has sent the transaction, but it may fail
 * yet, so that even in doubt the word proves nothing.
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

/** Returns whether a settlement answer is about this payment: its network and payer, where it names them. */
function isAbout({ chain, authorization }: PaymentPayload, answer: z.infer<typeof settleAnswer>): boolean {
  const names: string[] = [chain.name, chain.caip2];
  if (answer.network && !names.includes(answer.network)) return false;
  return !answer.payer || answer.payer.toLowerCase() === authorization.from.toLowerCase();
}

function reasonOf(reason: string | null | undefined): string {
  return reason ? reason.replace(/\s+/g, " ").slice(0, MAX_REASON_LENGTH) : NO_REASON;
}

/**
 * Returns whether nobody listens at a plain http address: a facilitator of the operator's own network. workerd does not
 * tell a refused connection from one that was cut after the request; of https Cloudflare does, by its status.
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
