import { IMAGE_FORMATS, TEMPLATES } from "../engine/index.ts";
import { limitsOf } from "../service/about/limits.ts";
import { PRODUCTS, priceLabel } from "../service/sale/products.ts";
import type { Config } from "../settings/config.ts";
import { Document } from "./document.tsx";
import { durationInWords } from "./duration.ts";
import { Footer, Masthead } from "./frame.tsx";
import { Playground, type Visit } from "./playground.tsx";

const SENTENCE =
  "Overprint puts a text or an image on every page of a PDF and returns a download link to the marked file.";

/** Pictures of marked pages, drawn by `npm run draw-pictures`: file name, caption and alternative text. */
const PAGES = [
  ["before", "before", "The first page of a contract"],
  ["after", "after", "The same page with CONFIDENTIAL along its diagonal"],
  ["landscape", "landscape", "A landscape page with a diagonal watermark"],
  ["turned", "rotated", "A page that is stored sideways; its watermark is upright for the reader"],
  ["cropped", "cropped", "A page cropped from a larger sheet, with the watermark centered in the visible part"],
] as const;
const SIZES = {
  before: [311, 440],
  after: [311, 440],
  landscape: [300, 212],
  turned: [212, 300],
  cropped: [212, 300],
} as const;

const PROMISES = [
  ["Where the reader sees it", "Rotated, cropped and scanned pages get the mark upright and in the right place."],
  [
    "Nothing re-encoded",
    "The result contains the source’s own bytes, with the mark on top. Forms, tags and bookmarks stay.",
  ],
  ["Any script", "Arabic, Hindi and Chinese are set correctly, in embedded fonts. Ten Chinese characters add 4 KB."],
  [
    "Charged for results only",
    "A failed call costs nothing. If an answer gets lost, ask for it again without paying again.",
  ],
] as const;

/** The page at `/`: what the service does, the playground, the templates, and how to pay. */
export function Home({ origin, config, developmentKey }: Visit) {
  const price = priceLabel(config);
  return (
    <Document
      title="Overprint: watermark PDFs, pay per call"
      description={`${SENTENCE} ${price} per call.`}
      styles="site"
      address={`${origin}/`}
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
              Watermark <em data-text="every page.">every page.</em>
            </h1>
            <p class="lead">{SENTENCE}</p>
            <p class="price">
              <strong>{price}</strong> per call, no matter how many pages. USDC is a digital US dollar. You need no
              account and no API key.
            </p>
            <p class="actions">
              <a class="button" href="#playground">
                Try it on your PDF
              </a>
              <span>Your file stays in this browser until you buy.</span>
            </p>
          </div>
          <div class="pages">
            {PAGES.map(([name, caption, alt]) => (
              <figure class={name}>
                <img src={`/assets/pictures/${name}.webp`} alt={alt} width={SIZES[name][0]} height={SIZES[name][1]} />
                <figcaption>{caption}</figcaption>
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
          <p>
            A template sets the position, rotation, size, weight and color of a text. Other fields of your request
            override it.
          </p>
          <ul>
            {Object.entries(TEMPLATES).map(([name, { description }]) => (
              <li>
                <img src={`/assets/pictures/template-${name}.webp`} alt="" width="212" height="300" loading="lazy" />
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
      <Footer links={config.links}>
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
        <h2 id="paying-title">Pay per call with x402</h2>
        <p>x402 is an open protocol for paying for an HTTP call with a signed message. You pay in USDC.</p>
        <ol>
          <li>
            <h3>Call</h3>
            <p>
              Without a payment, the answer is <code>402</code> with the price ({price}) and the payment terms.
            </p>
          </li>
          <li>
            <h3>Sign</h3>
            <p>Your x402 client signs a transfer of USDC, and repeats the call. Networks: {networks.join(", ")}.</p>
          </li>
          <li>
            <h3>Download</h3>
            <p>
              The answer is a download link that works for {durationInWords(limits.link_seconds)}. You are charged only
              when the file is ready. A call that you repeat with its <code>Idempotency-Key</code> is charged once.
            </p>
          </li>
        </ol>
      </div>
      <dl class="limits">
        <div>
          <dt>PDF by URL</dt>
          <dd>{size(limits.file_bytes)}</dd>
        </div>
        <div>
          <dt>PDF in the call</dt>
          <dd>{size(limits.form_bytes)}</dd>
        </div>
        <div>
          <dt>Pages</dt>
          <dd>{limits.file_pages.toLocaleString("en")}</dd>
        </div>
        <div>
          <dt>Text</dt>
          <dd>{limits.text_characters} characters</dd>
        </div>
        <div>
          <dt>Images</dt>
          <dd>
            {IMAGE_FORMATS.join(", ")}, {size(limits.image_bytes)}
          </dd>
        </div>
      </dl>
    </section>
  );
}
