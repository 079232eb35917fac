import { ReceiptTemplate } from "./receiptTemplate.tsx";

/** What is sold, and how. */
export interface CheckoutProps {
  price: string;
  /** The longest body that is taken. */
  maxBytes: number;
  /** Given to the page where it pays: in development, on loopback. */
  developmentKey: string | undefined;
}

/** Where the reader buys what the preview shows: `web/purchase.ts` gives it life. */
export function Checkout({ price, maxBytes, developmentKey }: CheckoutProps) {
  return (
    <section
      id="purchase"
      class="purchase"
      aria-labelledby="purchase-title"
      data-max-bytes={maxBytes}
      data-development-key={developmentKey}
    >
      <div class="counter">
        <p>
          <strong id="purchase-title">The marked PDF is {price}</strong>, without the banner. Paid from a wallet in this
          browser, or by <a href="#snippets-title">a call</a>; only then is your file uploaded.
        </p>
        <p class="buttons">
          <button type="button" id="buy" class="button" aria-describedby="purchase-status" disabled>
            Get the PDF
          </button>
          {developmentKey && (
            <button type="button" id="buy-in-development" class="button quiet" disabled>
              Pay with the development key
            </button>
          )}
        </p>
      </div>
      <div class="till">
        <p id="purchase-status" role="status" />
        <ul id="wallets" class="wallets" hidden />
        <progress id="progress" max={1} aria-label="Upload" hidden />
        <button type="button" id="cancel" class="button quiet" hidden>
          Cancel
        </button>
      </div>
      <ol id="receipts" class="receipts" />
      <ReceiptTemplate heading="h3" />
    </section>
  );
}
