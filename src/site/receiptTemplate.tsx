/** The template of a receipt for a bought file. `web/buying/receipt.ts` fills it in. */
export function ReceiptTemplate({ heading: Heading }: { heading: "h2" | "h3" }) {
  return (
    <template id="receipt">
      <li class="receipt" tabindex={-1}>
        <img data-part="picture" class="miniature" alt="" />
        <Heading>
          <bdi data-part="name" /> is ready
        </Heading>
        <p data-part="order" />
        <p data-part="facts" />
        <p data-part="expiry">
          The link expires <time data-part="expires" />. Anyone who has it can download the file.
        </p>
        <div class="means" data-part="actions">
          <input type="text" data-part="link" aria-label="Link" readonly />
          <p class="buttons">
            <a class="button" data-part="download" href="#receipts" download>
              Download
            </a>
            <button type="button" class="button quiet" data-part="copy">
              Copy link
            </button>
            <button type="button" class="button quiet" data-part="revoke" aria-expanded="false">
              Revoke link
            </button>
          </p>
          <fieldset class="question" data-part="question" hidden>
            <legend>Revoke the link? The file is deleted at once, and the payment is not refunded.</legend>
            <p class="buttons">
              <button type="button" class="button quiet" data-part="dismiss">
                Keep link
              </button>
              <button type="button" class="button" data-part="confirm">
                Revoke
              </button>
            </p>
          </fieldset>
        </div>
        <p role="status" data-part="status" />
      </li>
    </template>
  );
}
