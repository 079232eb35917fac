import { type LedgerBackend, PaymentLedger } from "../../payments/ledger/ledger.ts";
import { configOf } from "../../settings/config.ts";
import { describeError, log } from "../../shared/log.ts";
import { bucketOf } from "../../storage/bucket.ts";
import { deleteResult, isAvailable } from "../../storage/results.ts";

/** Returns the R2 key for the copy of a channel's record. A new copy replaces the previous one. */
function copyKeyOf(name: string): string {
  return name.replaceAll(":", "/").replace(/^channel/, "channels");
}

/**
 * The Durable Object class of this Worker's payments. It settles payments with the deployment's facilitators, and finds
 * and deletes outputs in R2.
 */
export class Ledger extends PaymentLedger<Env> {
  protected override backend(env: Env): LedgerBackend {
    const bucket = bucketOf(env);
    return {
      ...configOf(env),
      objects: env.LEDGER,
      isAvailable: (output) => isAvailable(bucket, output, Date.now()),
      deleteOutput: (output) =>
        deleteResult(bucket, output).catch((error: unknown) =>
          log({
            event: "failure",
            code: "internal_error",
            error: `the output ${output} stays: ${describeError(error)}`,
          }),
        ),
      copyChannel: async (name, record) =>
        void (await bucket.put(copyKeyOf(name), record, { httpMetadata: { contentType: "application/json" } })),
      log,
    };
  }
}
