import { connect } from "cloudflare:sockets";
import * as z from "zod";
import type { EventContext } from "../wire/events.ts";
import { isSolana } from "../wire/networks.ts";
import type { PaymentPayload } from "../wire/paymentPayload.ts";
import type { FacilitatorClient, Settlement } from "./facilitator.ts";
import { authorization, boundedText, type RemoteFacilitator } from "./facilitatorHttp.ts";
import { noteRejection } from "./rejections.ts";
import { feePayersOn, type Supported, settles, signersOn } from "./supported.ts";

/**
 * Error strings that mean that the authorization has been used or canceled. Facilitators may use any error string. This
 * pattern and those below recognize the strings that reveal what happened to the money.
 */
const ALREADY_USED =
  /already.?(been.?)?(used|settled|processed)|authorization is used|nonce.?(is.?)?used|UsedOrCanceled|duplicate/i;
/** Error strings that mean that the chain rejected the transaction. They do not give the cause. */
const REVERTED = /invalid_transaction_state|failed_onchain|revert/i;
/** Error strings that mean that a simulation of the transaction failed. They do not give the cause. */
const SIMULATED = /simulation_failed/i;
/**
 * Error strings that mean that sending failed. Official facilitators report these without a transaction hash for every
 * failure while sending, even if a node accepted the transaction but its answer was lost.
 */
const NOT_SENT = /transaction_failed|failed_to_execute/i;
/**
 * Error strings that mean that the payer lacks the money. If the answer contains no transaction hash, the facilitator
 * has checked the balance before sending.
 */
const NO_FUNDS = /balance|funds/i;
/** Error strings that mean that the transaction was sent, but the facilitator does not know its outcome. */
const NOT_SURE = /pending|time[ds]? ?.?out|timeout|unexpected|not.?confirmed|could not be found|receipt/i;
/**
 * Error strings that mean that the facilitator's node failed, possibly after it accepted the transaction. The official
 * facilitators and viem use these words.
 */
const NODE_FAILED = /node_failure|unknown_error|took too long|HTTP request failed/i;
/**
 * Error strings on Solana that mean that the transaction may have been sent. Official facilitators use the same words
 * for a failed transaction, an unsent transaction, and a transaction of unknown outcome. They detect all other errors
 * before sending.
 */
const SOLANA_NOT_SURE = /transaction_failed|settle_|post_settlement|execute_transfer|height/i;
const SOLANA_SIMULATION_HINT =
  "the wallet lacks the money, or the blockhash has expired. A blockhash lasts about a minute, and the work may take longer. Sign a new transaction";

/**
 * HTTP statuses of a request that was not processed, for a reason other than its payment. Cloudflare answers a Worker
 * with a status above 520 if it cannot connect: connection refused, host unreachable, no TLS, unknown name.
 */
const NOT_PROCESSED = new Set([401, 403, 429, 521, 523, 525, 526, 530]);
/**
 * HTTP statuses from 400 to 499 that do not reject the payment. Of a settlement, 402 may be a malformed verdict, and
 * 408 and 409 may follow an attempt that settles the payment.
 */
const NOT_ABOUT_PAYMENT = { verify: [401, 403, 408, 429], settle: [401, 402, 403, 408, 409, 429] };

/** A transaction hash on an EVM chain. All zeros mean that no transaction exists. */
const HASH = /^0x0*[1-9a-f]/i;

const NO_REASON = "the facilitator gave no reason";
const MAX_REASON_LENGTH = 200;
/**
 * Maximum wait for a connection attempt. If the attempt is still pending after this time, the address counts as
 * reachable.
 */
const CONNECT_MS = 1000;

const text = z.string().nullish();
/** The fields in which facilitators explain a rejected request, in order of preference. */
const EXPLANATIONS = ["errorMessage", "invalidMessage", "message", "detail", "error", "invalidReason", "errorReason"];
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
export function remoteFacilitator(
  { url, timeoutMs, auth, supported }: RemoteFacilitator,
  { requestId, log }: EventContext,
): FacilitatorClient {
  /**
   * Sends a payment to the facilitator, and returns its verdict. A verdict may have status 200 or 4xx, because
   * facilitators refuse with either. A 5xx is never a verdict, even with a well-formed body. Without a verdict, returns
   * the HTTP status, or `isLost` if the connection broke before any answer. `rejection` is the reason if the status
   * rejects this payment, for example because its payload does not match the facilitator's schema.
   */
  async function ask<S extends z.ZodType>(
    call: "verify" | "settle",
    payment: PaymentPayload,
    schema: S,
    abandoned?: AbortSignal,
  ): Promise<{ answer?: z.output<S>; status?: number; isLost?: boolean; rejection?: string }> {
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
        signal: abandoned ? AbortSignal.any([tooLate, abandoned]) : tooLate,
      });
      ({ status } = response);
      const body = await boundedText(response);
      const json = parsed(body);
      const answer = schema.safeParse(json);
      if (answer.success && status < 500) return { answer: answer.data, status };
      log({ ...failure, status, ...(json === undefined && { error: "the answer is not JSON" }) });
      if (status < 400 || status >= 500 || NOT_ABOUT_PAYMENT[call].includes(status)) return { status };
      noteRejection(url, { call, status, at: Date.now() });
      return {
        status,
        rejection: `facilitator_refused: the facilitator answered ${status}: ${explanation(json, body)}`,
      };
    } catch (error) {
      if (abandoned?.aborted) return {};
      log({ ...failure, ...(status && { status }), error: String(error) });
      if (status === undefined) return { isLost: (error as Error).name !== "TimeoutError" };
    }
    return { status };
  }

  return {
    name: url,
    signersOn: (network) => signersOn(supported, network),

    async verify(payment, abandoned) {
      if (!isFor(payment, supported)) return { outcome: "unknown" }; // another facilitator may support the payment
      let { answer, isLost, rejection } = await ask("verify", payment, verifyAnswer, abandoned);
      // The server may have just closed the kept-alive connection. A retry is safe, because a verification moves no
      // money.
      if (isLost) ({ answer, rejection } = await ask("verify", payment, verifyAnswer, abandoned));
      if (rejection !== undefined) return { outcome: "rejected", reason: rejection };
      if (!answer) return { outcome: "unknown" };
      return answer.isValid
        ? { outcome: "valid" }
        : { outcome: "invalid", reason: explained(payment, reasonOf(answer.invalidReason)) };
    },

    async settle(payment) {
      if (await refusesConnections(new URL(url)))
        return { outcome: "unprocessed", reason: "facilitator_unavailable: the facilitator cannot be reached" };
      const { answer, status, rejection } = await ask("settle", payment, settleAnswer);
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
 * Returns whether a facilitator can settle a payment. On Solana, if the account that pays the fee is known, only the
 * facilitator that owns this account can.
 */
function isFor({ chain, version, transfer }: PaymentPayload, supported: Supported | undefined): boolean {
  if (isSolana(chain) && transfer && chain.feePayers[version].includes(transfer.feePayer))
    return feePayersOn(supported, chain, version).includes(transfer.feePayer);
  return settles(supported, chain, version);
}

/**
 * Interprets a refusal on Solana. A "duplicate" error shows that the transaction was sent before, but not whether it
 * succeeded. The error is therefore treated as an ordinary refusal. If the outcome of an earlier attempt is unknown, it
 * stays unknown.
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

function reasonOf(reason: string | null | undefined): string {
  return (
    reason
      ?.replace(/[\s\p{C}]+/gu, " ")
      .trim()
      .slice(0, MAX_REASON_LENGTH) || NO_REASON
  );
}

/** Returns a facilitator's explanation of a rejected request. Omits the HTML of an error page. */
function explanation(json: unknown, body: string): string {
  const fields = new Map<string, unknown>(Object.entries(Object(json) as object));
  const texts = EXPLANATIONS.map((name) => fields.get(name));
  const text = texts.find((value) => typeof value === "string" && value !== "") as string | undefined;
  return reasonOf(text ?? (body.trimStart().startsWith("<") ? "" : body));
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/**
 * Returns whether an address refuses connections. Only plain http addresses are checked, such as a facilitator in the
 * operator's own network, because workerd cannot distinguish a refused connection from one that was cut after the
 * request. With https the HTTP status makes this distinction ({@link NOT_PROCESSED}).
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
