import { FILES } from "../storage/link.ts";
import { ReceiptTemplate } from "./receiptTemplate.tsx";

interface ChatViewProps {
  /** Where its script and styles are. */
  origin: string;
  /** Scheme and host of links. */
  files: string;
  /** What a call costs, for people to read. */
  price: string;
}

/**
 * The view of a tool's result in a chat, as a whole document: `web/chat.ts` gives it life. It is shown in a frame without
 * an address, so that it names its parts by their whole ones. What it says by itself is for a host that allows no scripts.
 */
export function ChatView({ origin, files, price }: ChatViewProps) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>The marked PDF</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <link rel="stylesheet" href={`${origin}/assets/chat.css`} />
        <script type="module" src={`${origin}/assets/chat.js`} />
      </head>
      <body data-files={files + FILES} data-price={price}>
        <main>
          <h1 id="order">A PDF, marked on every page</h1>
          <p id="status" role="status">
            The link to it is in the chat.
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
