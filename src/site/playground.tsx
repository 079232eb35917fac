import { PRODUCTS, priceLabel } from "../service/sale/products.ts";
import type { Config } from "../settings/config.ts";
import { BuyButton, Checkout, type CheckoutProps, Till } from "./checkout.tsx";
import { Controls, EXAMPLE_TEXT, kindOf } from "./controls.tsx";
import { NoWallet } from "./noWallet.tsx";
import { PRESETS } from "./presets.ts";
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
          <Source price={priceLabel(config)} hasDevelopmentKey={developmentKey !== undefined} />
          <Proof
            price={priceLabel(config)}
            maxBytes={config.maxBodyBytes}
            developmentKey={developmentKey}
            withoutWallet={
              <NoWallet
                networks={config.networks.map(({ name }) => name)}
                hasDevelopmentKey={developmentKey !== undefined}
              />
            }
          />
          <div class="settings">
            <Presets />
            <Operations />
            {PRODUCTS.map((product) => (
              <Controls product={product} />
            ))}
            <label class="units">
              Unit of lengths{" "}
              <select id="unit" autocomplete="off">
                <option value="pt">points</option>
                <option value="mm">millimeters</option>
                <option value="in">inches</option>
              </select>
            </label>
            <p class="buttons">
              <button type="button" id="reset" class="button quiet">
                Reset
              </button>
              <button type="button" id="share" class="button quiet" data-shares="shared">
                Copy link to settings
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

function Source({ price, hasDevelopmentKey }: { price: string; hasDevelopmentKey: boolean }) {
  return (
    <>
      <div class="source">
        <label class="button pick">
          <input type="file" id="file" accept="application/pdf,.pdf" multiple />
          <span>Choose a PDF</span>
        </label>
        <button type="button" id="sample" class="button quiet">
          Try a sample
        </button>
        <p id="status">or drop a PDF anywhere on this page</p>
      </div>
      <fieldset id="others" class="others" aria-live="polite" hidden>
        <legend>Your PDFs</legend>
        <ul />
        <div id="series" data-price={price} hidden>
          <p class="buttons">
            <button type="button" class="button quiet" data-payer="wallet" disabled>
              Get all PDFs
            </button>
            {hasDevelopmentKey && (
              <button type="button" class="button quiet" data-payer="key" disabled>
                Get all PDFs with the development key
              </button>
            )}
          </p>
          <p class="hint">All get the same settings. Each PDF is one purchase, which your wallet asks you to sign.</p>
        </div>
        <p id="series-status" />
      </fieldset>
      <p id="file-problem" class="others" role="status" />
    </>
  );
}

/** The preview, with warnings, Undo and Buy beside it, because visitors need them while they look at the preview. */
function Proof(sale: CheckoutProps) {
  return (
    <div class="proof">
      <div id="tools" class="tools" hidden>
        <label>
          Page <input id="page-number" type="number" min={1} value={1} inputmode="numeric" autocomplete="off" /> of{" "}
          <span id="page-count">1</span>
        </label>
        <fieldset>
          <legend class="unseen">Zoom</legend>
          <button type="button" id="zoom-out" aria-label="Zoom out">
            −
          </button>
          <output id="zoom">Fit</output>
          <button type="button" id="zoom-in" aria-label="Zoom in">
            +
          </button>
        </fieldset>
      </div>
      <div class="stage">
        <section id="preview" class="viewport" aria-label="Preview of the marked pages" tabindex={0}>
          <div class="empty">
            <p>Your marked pages appear here.</p>
            <p>
              Your file stays on this device. It is uploaded only when you buy. A copy survives a reload of this tab
              until you reset the playground.
            </p>
          </div>
          <form id="unlock" class="empty" hidden>
            <label for="unlock-password">This PDF needs its password</label>
            <input
              id="unlock-password"
              name="password"
              type="password"
              autocomplete="off"
              required
              aria-describedby="unlock-problem"
            />
            <p id="unlock-problem" class="problem" role="alert" />
            <button type="submit" class="button">
              Open the PDF
            </button>
          </form>
        </section>
        <ul id="warnings" class="warnings" aria-live="polite" />
        <div class="bar">
          <button type="button" id="undo" class="button quiet">
            Undo
          </button>
          <button type="button" id="redo" class="button quiet">
            Redo
          </button>
          <span class="cost">{sale.price}</span>
          <BuyButton />
        </div>
        <Till />
      </div>
      <p id="moving" class="hint" hidden>
        <span class="by-finger">Tap the mark, then drag it.</span>
        <span class="by-mouse">Drag the mark to move it.</span> The round handle turns it, and the square handle scales
        it.
        <span class="by-mouse">
          {" "}
          On the keyboard, use the arrow keys, <kbd>+</kbd>, <kbd>−</kbd> and <kbd>R</kbd>.
        </span>
      </p>
      <Checkout {...sale} isApart />
    </div>
  );
}

function Presets() {
  return (
    <fieldset class="presets">
      <legend>Start from</legend>
      {PRESETS.map(({ label, ...settings }) => (
        <button type="button" data-settings={JSON.stringify(settings)}>
          {label}
        </button>
      ))}
      <details id="recent" hidden>
        <summary>Recent settings</summary>
      </details>
    </fieldset>
  );
}

/** The labels of the operations. */
const OPERATIONS: Readonly<Record<string, string>> = { text: "Text", image: "Image" };

function Operations() {
  return (
    <fieldset class="tabs operations">
      <legend class="unseen">Operation</legend>
      {PRODUCTS.map((product, index) => (
        <label>
          <input type="radio" name="operation" value={kindOf(product)} checked={index === 0} />
          <span>{OPERATIONS[kindOf(product)]}</span>
        </label>
      ))}
    </fieldset>
  );
}
