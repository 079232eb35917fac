import * as z from "zod";

/**
 * The `payment-identifier` extension of x402 version 2: an id that the client assigns to a purchase. The id serves as
 * an idempotency key.
 */

const NAME = "payment-identifier";

/** The `payment-identifier` extension as a 402 advertises it. */
export const IDENTIFIER_EXTENSION = {
  [NAME]: {
    info: { required: false },
    schema: {
      // keeps the schema short, because the 402 is sent in a header
      properties: { id: { pattern: "^[A-Za-z0-9_-]{16,128}$" } },
    },
  },
};

/** Schema of a payment's `extensions`. Other extensions are ignored. */
export const extensionsWithIdentifier = z.looseObject({
  [NAME]: z
    .looseObject({
      info: z
        .looseObject({
          id: z
            .string()
            .regex(/^[A-Za-z0-9_-]{16,128}$/, "must be 16 to 128 letters, digits, hyphens or underscores")
            .optional(),
        })
        .optional(),
    })
    .optional(),
});

/** Returns the identifier that the client has assigned to a purchase, if any. */
export function identifierIn(extensions: z.infer<typeof extensionsWithIdentifier> | undefined): string | undefined {
  return extensions?.[NAME]?.info?.id;
}
