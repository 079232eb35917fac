import { SIGNER } from "./addresses.ts";
import type { Chain, Payment } from "./chain.ts";
import { SimulatedResponse as Response } from "./messages.ts";
import { never, type World } from "./world.ts";

/** A delay in milliseconds after which no caller still waits for the facilitator. */
const LATE_MS = 20_000;

/** The body of the facilitator's answer to GET /supported. */
export const SUPPORTED = {
  kinds: [
    { x402Version: 1, scheme: "exact", network: "base-sepolia" },
    { x402Version: 2, scheme: "batch-settlement", network: "eip155:84532" },
  ],
  signers: { "eip155:*": [SIGNER] },
};

/** A simulated facilitator whose answers can be late, lost, wrong or mixed up. */
export class Facilitator {
  readonly #world: World;
  readonly #chain: Chain;
  /** Whether the Worker can ask a node of the chain. */
  readonly #hasNode: boolean;

  constructor(world: World, chain: Chain, hasNode: boolean) {
    this.#world = world;
    this.#chain = chain;
    this.#hasNode = hasNode;
  }

  async verify(payment: Payment, signature: string): Promise<Response> {
    const world = this.#world;
    await world.sleep(world.below(300));
    if (world.fails(0.18))
      switch (world.below(6)) {
        case 0:
          await world.sleep(world.below(LATE_MS));
          break;
        case 1:
          return never();
        case 2:
          return new Response("", { status: 500 });
        case 3:
          return new Response("<html>");
        case 4:
          throw new TypeError("Network connection lost.");
        case 5:
          return Response.json({ isValid: false, invalidReason: "insufficient_funds" });
      }
    if (payment.forged || signature !== payment.signature)
      return Response.json({ isValid: false, invalidReason: "invalid_exact_evm_payload_signature" });
    if (payment.consumed) return Response.json({ isValid: false, invalidReason: "nonce_already_used" });
    if (world.now >= payment.ends)
      return Response.json({ isValid: false, invalidReason: "invalid_exact_evm_payload_authorization_valid_before" });
    return Response.json({ isValid: true, payer: payment.from });
  }

  async settle(payment: Payment): Promise<Response> {
    const world = this.#world;
    await world.sleep(world.below(500));
    if (!world.fails(0.5)) return this.#transfer(payment);
    switch (world.below(14)) {
      case 0: // the facilitator answers late
        await world.sleep(world.below(LATE_MS));
        return this.#transfer(payment);
      case 1: // the facilitator does not answer, and never sends the transaction
        return never();
      case 2: // the facilitator does not answer, and sends the transaction after the timeout
        world.later(LATE_MS + world.below(60_000), () => this.#transfer(payment));
        return never();
      case 3:
        return new Response("", { status: 500 });
      case 4: // the transaction is sent, but the answer is broken
        this.#transfer(payment);
        return new Response('{"success":tr');
      case 5: // the transaction is sent, but the answer is lost
        this.#transfer(payment);
        await world.sleep(world.below(LATE_MS));
        throw new TypeError("Network connection lost.");
      case 6: // the refusal does not show the outcome of earlier attempts
        return refusal("insufficient_funds");
      case 7: // the facilitator gets the request twice, and only the second answer reaches the Worker
        if (this.#moves(payment)) payment.doubled = true;
        return this.#transfer(payment);
      case 8: // the chain rejects the transaction
        payment.isPublic = true;
        return refusal("invalid_transaction_state", payment.nonce);
      case 9: // the facilitator does not process the request
        return new Response("", { status: 429 });
      case 10: // the simulation of the transaction fails
        return refusal("transaction_simulation_failed");
      // The facilitator's node does not answer, but may have sent the transaction. Only another node can show whether
      // it did.
      case 11:
        payment.isPublic = true;
        if (world.chance(0.5) && this.#moves(payment)) payment.doubled ||= !this.#hasNode;
        return refusal("transaction_failed");
      case 12: // the request does not reach the facilitator
        throw new TypeError("Network connection lost.");
      default:
        await world.sleep(world.below(3000));
        return this.#transfer(payment);
    }
  }

  /**
   * Sends the facilitator's transaction, and returns whether it moved the money. A stranger who sees the transaction
   * may submit the payment first.
   */
  #moves(payment: Payment): boolean {
    payment.isPublic = true;
    if (this.#world.fails(0.05)) this.#chain.consume(payment, "a stranger");
    return this.#chain.consume(payment, "us");
  }

  #transfer(payment: Payment): Response {
    const { nonce, from, ends } = payment;
    if (this.#world.now >= ends) return refusal("invalid_exact_evm_payload_authorization_valid_before");
    if (this.#moves(payment))
      return Response.json({ success: true, transaction: nonce, network: "base-sepolia", payer: from });
    return this.#world.chance(0.5)
      ? refusal("authorization is used")
      : refusal("invalid_transaction_state", payment.nonce);
  }
}

function refusal(errorReason: string, transaction = ""): Response {
  return Response.json({ success: false, errorReason, transaction });
}
