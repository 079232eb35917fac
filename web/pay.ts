/** Client script of the page of a quote. */
import { type Order, sha256 } from "./buying/order.ts";
import { Purchase } from "./purchase.ts";

const { path, name, paid } = document.querySelector<HTMLElement>("main.pay")!.dataset as {
  path: string;
  name: string;
  paid?: string;
};
const digest = await sha256(new TextEncoder().encode(path));
const order: Order = {
  path,
  name,
  settings: "",
  bytes: 0,
  isSold: paid !== undefined,
  password: "",
  form: () => new FormData(),
  digest: async () => digest,
};
const purchase = new Purchase(() => order, {
  isShown: (attempt) => attempt.digest === digest,
  onBought() {
    order.isSold = true;
  },
});
await purchase.offer(true);
const preview = document.getElementById("preview");
if (preview) {
  const { showPreview } = await import("./payPreview.ts");
  await showPreview(preview, document.getElementById("preview-status")!);
}
