import type { Child } from "hono/jsx";
import { ReceiptTemplate } from "./receiptTemplate.tsx";

/** Facts about the deployment that the checkout needs. */
export interface CheckoutProps {
  price: string;
  /** Maximum size of a request body in bytes. */
  maxBytes: number;
  /** A private key that pays test payments. Present only in development on loopback. */
  developmentKey: string | undefined;
  /** Explains what the visitor pays for. Defaults to the text of the playground. */
  children?: Child;
  /** Shown if the browser has no wallet. */
  withoutWallet?: Child;
  /** Whether the page shows {@link BuyButton} and {@link Till} elsewhere, near the preview. */
  isApart?: boolean;
}

/** The button that buys the previewed file. */
export function BuyButton() {
  return (
    <button type="button" id="buy" class="button" aria-describedby="purchase-status" disabled>
      Get the PDF
    </button>
  );
}

/** The state of a purchase, with the choice of a wallet. */
export function Till() {
  return (
    <div class="till">
      <p id="purchase-status" role="status" />
      <ul id="wallets" class="wallets" hidden />
      <progress id="progress" max={1} aria-label="Upload" hidden />
      <button type="button" id="cancel" class="button quiet" hidden>
        Cancel
      </button>
    </div>
  );
}

/**
 * The part of the playground and of the payment page where the visitor buys the previewed file. `web/purchase.ts` is
 * its client script.
 */
export function Checkout({ price, maxBytes, developmentKey, children, withoutWallet, isApart }: CheckoutProps) {
  return (
    <section
      id="purchase"
      class="purchase"
      aria-labelledby="purchase-title"
      data-max-bytes={maxBytes}
      data-development-key={developmentKey}
    >
      <div class="counter">
        {children ?? (
          <p>
            <strong id="purchase-title">The marked PDF costs {price}.</strong> Pay with a crypto wallet in this browser,
            or <a href="#snippets-title">from your code</a>. Your file is uploaded only when you pay.
          </p>
        )}
        <p class="buttons">
          {!isApart && <BuyButton />}
          {developmentKey && (
            <button type="button" id="buy-in-development" class="button quiet" disabled>
              Pay with the development key
            </button>
          )}
        </p>
      </div>
      {!isApart && <Till />}
      {withoutWallet}
      <ol id="receipts" class="receipts" />
      <ReceiptTemplate heading="h3" />
    </section>
  );
}
