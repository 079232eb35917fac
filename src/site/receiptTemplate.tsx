/** What was bought: `web/buying/receipt.ts` fills it in, and gives it life. */
export function ReceiptTemplate({ heading: Heading }: { heading: "h2" | "h3" }) {
  return (
    <template id="receipt">
      <li class="receipt" tabindex={-1}>
        <Heading>
          <bdi data-part="name" /> is marked
        </Heading>
        <p data-part="facts" />
        <p data-part="life">
          The link ends <time data-part="ends" />. Whoever has it can download the file.
        </p>
        <div class="means" data-part="means">
          <input type="text" data-part="link" aria-label="Link" readonly />
          <p class="buttons">
            <a class="button" data-part="download" href="#receipts" download>
              Download
            </a>
            <button type="button" class="button quiet" data-part="copy">
              Copy the link
            </button>
            <button type="button" class="button quiet" data-part="end" aria-expanded="false">
              End the link now
            </button>
          </p>
          <fieldset class="question" data-part="question" hidden>
            <legend>The file is deleted at once, and what was paid for it is spent.</legend>
            <p class="buttons">
              <button type="button" class="button quiet" data-part="keep">
                Keep it
              </button>
              <button type="button" class="button" data-part="sure">
                End it
              </button>
            </p>
          </fieldset>
        </div>
        <p role="status" data-part="said" />
      </li>
    </template>
  );
}
