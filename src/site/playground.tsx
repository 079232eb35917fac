import { PRODUCTS, priceLabel } from "../service/sale/products.ts";
import type { Config } from "../settings/config.ts";
import { Checkout, type CheckoutProps } from "./checkout.tsx";
import { Controls, EXAMPLE_TEXT, kindOf } from "./controls.tsx";

import { SnippetPanel } from "./snippetPanel.tsx";

/** The deployment that the home page describes. `developmentKey` pays test payments, in development only. */
export interface Visit {
  origin: string;
  config: Config;
  developmentKey: string | undefined;
}

/**
 * The playground. Its client scripts are in `web/`. Without scripts, visitors can still read the fields and the code of
 * a call.
 */
export function Playground({ origin, config, developmentKey }: Visit) {
  return (
    <section
      id="playground"
      class="playground"
      aria-labelledby="playground-title"
      data-max-pages={config.maxPages}
      data-max-pixels={config.maxImagePixels}
    >
      <div class="intro">
        <h2 id="playground-title">Playground</h2>
        <p>
          Your browser marks the file with the same engine as the service. The preview is identical to a paid result.
        </p>
      </div>
      <noscript>
        <p class="notice">
          The preview needs JavaScript. Without it, you can still read the fields of a call and its code below.
        </p>
      </noscript>
      <div class="bench">
        <div class="work">
          <Proof price={priceLabel(config)} maxBytes={config.maxBodyBytes} developmentKey={developmentKey} />
          <div class="settings">
            <Operations />
            {PRODUCTS.map((product) => (
              <Controls product={product} />
            ))}
            <p class="buttons">
              <button type="button" id="share" class="button quiet">
                Copy link to settings
              </button>
              <button type="button" id="reset" class="button quiet">
                Reset
              </button>
            </p>
            <p id="shared" class="hint" role="status" />
          </div>
        </div>
        {PRODUCTS.slice(0, 1).map(({ path, tool }) => (
          <SnippetPanel call={{ origin, path, tool, file: "contract.pdf", fields: { text: EXAMPLE_TEXT } }} />
        ))}
      </div>
    </section>
  );
}

function Proof(sale: CheckoutProps) {
  return (
    <div class="proof">
      <div class="source">
        <label class="button pick">
          <input type="file" id="file" accept="application/pdf,.pdf" />
          <span>Choose a PDF</span>
        </label>
        <button type="button" id="sample" class="button quiet">
          Try a sample
        </button>
        <p id="status" role="status">
          or drop a PDF anywhere on this page
        </p>
      </div>
      <section id="preview" class="viewport" aria-label="Preview of the marked pages" tabindex={0}>
        <div class="empty">
          <p>Your marked pages appear here.</p>
          <p>Your file stays on this device. It is uploaded only when you buy.</p>
        </div>
        <form id="unlock" class="empty" hidden>
          <label for="unlock-password">This PDF needs its password</label>
          <input id="unlock-password" name="password" type="password" autocomplete="off" required />
          <button type="submit" class="button">
            Open the PDF
          </button>
        </form>
      </section>
      <Checkout {...sale} />
    </div>
  );
}

function Operations() {
  return (
    <fieldset class="tabs operations">
      <legend class="unseen">Operation</legend>
      {PRODUCTS.map((product, index) => (
        <label>
          <input type="radio" name="operation" value={kindOf(product)} checked={index === 0} />
          <span>{kindOf(product)}</span>
        </label>
      ))}
    </fieldset>
  );
}
