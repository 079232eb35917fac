import { PRODUCTS, priceLabel } from "../service/sale/products.ts";
import type { Config } from "../settings/config.ts";
import { Checkout, type CheckoutProps } from "./checkout.tsx";
import { Controls, EXAMPLE_TEXT, kindOf } from "./controls.tsx";

import { SnippetPanel } from "./snippetPanel.tsx";

/** What the page is made for: a deployment, and in development the key that pays there. */
export interface Visit {
  origin: string;
  config: Config;
  developmentKey: string | undefined;
}

/** The playground: its client in `web/` gives it life. Without it, the fields of a call and the call itself can be read. */
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
        <p>The service’s own engine marks your file here, in this page. What you see is what a call returns.</p>
      </div>
      <noscript>
        <p class="notice">
          The preview is made in your browser, by JavaScript. The fields of a call, and the call itself, are here
          without it.
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
          Take the sample
        </button>
        <p id="status" role="status">
          or drop one on this page
        </p>
      </div>
      <section id="preview" class="viewport" aria-label="Preview of the marked pages" tabindex={0}>
        <div class="empty">
          <p>Your pages appear here, marked.</p>
          <p>The file stays on this machine: it is sent off when you buy, and not before.</p>
        </div>
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
