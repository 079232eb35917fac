import { FILES } from "../storage/link.ts";
import { ReceiptTemplate } from "./receiptTemplate.tsx";

interface ChatViewProps {
  /** Origin of the view's script and styles. */
  origin: string;
  /** Scheme and host of result links. */
  files: string;
  /** Price of a call, as shown to people. */
  price: string;
}

/**
 * The document that shows a tool's result in a chat. `web/chat.ts` is its client script. Hosts show the document in a
 * frame without a URL, so all its links are absolute. The text below remains visible if the host allows no scripts.
 */
export function ChatView({ origin, files, price }: ChatViewProps) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>Watermarked PDF</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <link rel="stylesheet" href={`${origin}/assets/chat.css`} />
        <script type="module" src={`${origin}/assets/chat.js`} />
      </head>
      <body data-files={files + FILES} data-price={price}>
        <main>
          <h1 id="order">Watermarked PDF</h1>
          <p id="status" role="status">
            The download link is in the chat.
          </p>
          <div id="result">
            <ol id="receipts" class="receipts" />
            <div id="page" />
          </div>
        </main>
        <ReceiptTemplate heading="h2" />
      </body>
    </html>
  );
}
