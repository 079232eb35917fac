import { IMAGE_FORMATS, TEMPLATES } from "../engine/index.ts";
import { limitsOf } from "../service/limits/limits.ts";
import { PRODUCTS, priceLabel } from "../service/sale/products.ts";
import type { Config } from "../settings/config.ts";
import { Document } from "./document.tsx";
import { Footer, Masthead } from "./frame.tsx";
import { Playground, type Visit } from "./playground.tsx";

const SENTENCE =
  "Overprint lays a text or an image over every page of a PDF, and answers with a link to the marked file.";

/** The pictures that `npm run draw-pictures` makes of pages with a mark. */
const PAGES = [
  ["upright", "A letter with the mark across it"],
  ["landscape", "A landscape page with the mark across it"],
  ["turned", "A page stored on its side, with the mark upright as its reader sees it"],
  ["cropped", "A page cropped out of a larger sheet, with the mark in the middle of what is left"],
] as const;
const WIDTHS = { upright: 212, landscape: 300, turned: 212, cropped: 212 } as const;

const PROMISES = [
  ["Where the reader sees it", "Turned, cropped and scanned pages get the mark upright and in place, like all others."],
  ["Nothing re-encoded", "The result is the source’s own bytes, with the mark on top. Forms, tags and bookmarks stay."],
  ["Any script", "Arabic joins, Hindi stacks, ten Chinese characters add four kilobytes. Fonts are embedded."],
  ["Charged for results only", "A call that fails costs nothing. A lost answer is asked for again, not paid again."],
] as const;

/** The page at `/`: what the service does and costs, and the playground. */
export function Home({ origin, config, developmentKey }: Visit) {
  const price = priceLabel(config);
  return (
    <Document
      title="Overprint: watermark PDFs, paid per call"
      description={`${SENTENCE} ${price} a call.`}
      styles="site"
      script="/assets/playground.js"
    >
      <a class="skip" href="#playground">
        Skip to the playground
      </a>
      <Masthead />
      <main>
        <section class="hero">
          <div>
            <h1>
              One mark, <em data-text="every page.">every page.</em>
            </h1>
            <p class="lead">{SENTENCE}</p>
            <p class="price">
              <strong>{price}</strong> a call, paid by the call itself. No account, no API key.
            </p>
            <p class="actions">
              <a class="button" href="#playground">
                Try it on your PDF
              </a>
              <span>Nothing is uploaded before you buy.</span>
            </p>
          </div>
          <div class="pages">
            {PAGES.map(([name, what]) => (
              <figure class={name}>
                <img src={`/assets/pictures/${name}.svg`} alt={what} width={WIDTHS[name]} height={512 - WIDTHS[name]} />
                <figcaption>{name}</figcaption>
              </figure>
            ))}
          </div>
        </section>

        <ul class="promises">
          {PROMISES.map(([title, words]) => (
            <li>
              <h2>{title}</h2>
              <p>{words}</p>
            </li>
          ))}
        </ul>

        <Playground origin={origin} config={config} developmentKey={developmentKey} />

        <section id="templates" class="gallery" aria-labelledby="templates-title">
          <h2 id="templates-title">Templates</h2>
          <p>A template fixes position, rotation, size, weight and colour. The request’s own fields win.</p>
          <ul>
            {Object.entries(TEMPLATES).map(([name, { description }]) => (
              <li>
                <img src={`/assets/pictures/template-${name}.svg`} alt="" width="212" height="300" loading="lazy" />
                <h3>
                  <code>{name}</code>
                </h3>
                <p>{description}</p>
              </li>
            ))}
          </ul>
        </section>

        <Paying price={price} config={config} />
      </main>
      <Footer repository={config.repositoryUrl}>
        <span>
          MCP at <code>{origin}/mcp</code>
        </span>
        {PRODUCTS.map(({ path }) => (
          <span>
            <code>POST {path}</code>
          </span>
        ))}
      </Footer>
    </Document>
  );
}

function Paying({ price, config }: { price: string; config: Config }) {
  const limits = limitsOf(config);
  const networks = config.networks.map(({ name }) => name);
  const size = (bytes: number) =>
    bytes < 1e9 ? `${(bytes / 1e6).toLocaleString("en")} MB` : `${(bytes / 1e9).toLocaleString("en")} GB`;
  return (
    <section id="paying" class="paying" aria-labelledby="paying-title">
      <div>
        <h2 id="paying-title">Paid per call, by x402</h2>
        <ol>
          <li>
            <h3>Call</h3>
            <p>
              Without a payment the answer is <code>402</code>: {price}, and where to pay it.
            </p>
          </li>
          <li>
            <h3>Sign</h3>
            <p>Any x402 client signs a transfer of USDC on {networks.join(", ")}. That is the whole sign-up.</p>
          </li>
          <li>
            <h3>Download</h3>
            <p>
              The answer is a link that works for {limits.link_seconds / 3600} hours. You are charged once it is there,
              and not before.
            </p>
          </li>
        </ol>
      </div>
      <dl class="limits">
        <div>
          <dt>A PDF by URL</dt>
          <dd>{size(limits.file_bytes)}</dd>
        </div>
        <div>
          <dt>uploaded</dt>
          <dd>{size(limits.form_bytes)}</dd>
        </div>
        <div>
          <dt>pages</dt>
          <dd>{limits.file_pages.toLocaleString("en")}</dd>
        </div>
        <div>
          <dt>text</dt>
          <dd>{limits.text_characters} characters</dd>
        </div>
        <div>
          <dt>images</dt>
          <dd>
            {IMAGE_FORMATS.join(", ")}, {size(limits.image_bytes)}
          </dd>
        </div>
      </dl>
    </section>
  );
}
