/**
 * Shows a tool call in a chat (MCP Apps): first the order, and after the call the first page, the link and the receipt.
 */
import { version } from "../package.json";
import { type Receipt, receiptFor } from "./buying/receipt.ts";
import { Host, type HostContext } from "./chat/host.ts";
import { orderInWords, shown } from "./chat/order.ts";
import { type Outcome, outcomeOf, type Settlement, type ToolResult } from "./chat/outcome.ts";

const { files, price } = document.body.dataset as Record<string, string>;
const order = document.getElementById("order")!;
const status = document.getElementById("status")!;
const receipts = document.getElementById("receipts")!;
const firstPage = document.getElementById("page")!;
/** Maximum size of the drawn page, in CSS pixels. `styles/chat.css` has the same values. */
const PAGE_SIZE = { width: 352, height: 480 };

/** The password in the tool's arguments, if any. */
let password: string | undefined;

const host = new Host({
  "ui/notifications/tool-input": ({ arguments: input }: { arguments?: unknown }) => {
    const fields = Object(input) as Record<string, unknown>;
    order.textContent = orderInWords(fields);
    status.textContent = `The price is ${price}. A failed call costs nothing.`;
    if (typeof fields.password === "string") password = fields.password;
  },
  "ui/notifications/tool-result": (result: ToolResult) => show(outcomeOf(result, files!)),
  "ui/notifications/tool-cancelled": () => {
    status.textContent = "The call was canceled.";
  },
  "ui/notifications/host-context-changed": applyContext,
});
applyContext(await host.connect("overprint", version));
host.reportSize();

/** Applies the host's colors and fonts. */
function applyContext({ theme, styles }: HostContext): void {
  const { style } = document.documentElement;
  if (theme) style.colorScheme = theme;
  for (const [name, value] of Object.entries(styles?.variables ?? {})) style.setProperty(name, value ?? null);
}

function show(outcome: Outcome): void {
  receipts.replaceChildren();
  firstPage.replaceChildren();
  status.classList.toggle("unseen", "bought" in outcome); // hides the status, because the receipt says the same
  if ("bought" in outcome) showBought(outcome);
  else status.textContent = "unpaid" in outcome ? unpaidInWords(outcome.unpaid) : outcome.refused.replaceAll("`", "");
}

function unpaidInWords(reason: string): string {
  return `Not bought: the price of ${price} has not been paid${reason && ` (${reason})`}. Nothing was charged.`;
}

function showBought({ bought, name, settlement }: Extract<Outcome, { bought: object }>): void {
  status.textContent = "The PDF is ready.";
  const { url, expires_at } = bought.output;
  const receipt = receiptFor({ name: shown(name) }, bought, () => firstPage.replaceChildren());
  const { element } = receipt;
  element.querySelector("[data-part=download]")?.addEventListener("click", async (event) => {
    event.preventDefault(); // the host opens the link, because a sandboxed frame cannot
    await host.request("ui/open-link", { url }).catch(() => {
      element.querySelector("[data-part=status]")!.textContent = "This app cannot open the link. Copy it instead.";
      element.querySelector<HTMLInputElement>("[data-part=link]")!.focus();
    });
  });
  element.append(settlementIn(settlement));
  receipts.append(element);
  if (Date.parse(expires_at) > Date.now()) showPage(url, receipt);
}

/** Lists the known details of the payment. */
function settlementIn({ network, transaction, payer }: Settlement): HTMLElement {
  const details = document.createElement("details");
  const summary = document.createElement("summary");
  summary.textContent = "Receipt";
  const list = document.createElement("dl");
  for (const [term, value] of Object.entries({ Network: network, Transaction: transaction, Payer: payer })) {
    if (!value) continue;
    const [name, words] = [document.createElement("dt"), document.createElement("dd")];
    name.textContent = term;
    words.textContent = value;
    list.append(name, words);
  }
  details.hidden = list.childElementCount === 0;
  details.append(summary, list);
  return details;
}

async function showPage(url: string, { element, close }: Receipt): Promise<void> {
  const shows = (...nodes: (Node | string)[]) => {
    if (element.matches("#receipts > :not(.ended)")) firstPage.replaceChildren(...nodes);
  };
  try {
    const { drawFirstPage } = await import("./firstPage.ts");
    shows(await drawFirstPage(url, password, PAGE_SIZE));
  } catch (error) {
    const { status, name } = error as Error & { status?: number };
    if (status === 410) close();
    shows(
      name === "PasswordException"
        ? "No preview: the file needs its password."
        : "The first page cannot be previewed here.",
    );
  }
}
