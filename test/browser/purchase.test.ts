/** Tests purchases on the home page: what is charged, what is delivered, and which messages are shown. */
import { readFile } from "node:fs/promises";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { samplePdf } from "../../scripts/lib/samplePdf.ts";
import { DEVELOPMENT_KEY } from "../../src/payments/facilitators/localFacilitator.ts";
import { type Chain, startChain } from "../e2e/chain/anvil.ts";
import { startFacilitator } from "../e2e/chain/facilitator.ts";
import { violations } from "./axe.ts";
import { chooseFile, expectChange, PATIENCE, withPage } from "./page.ts";
import { startProxy } from "./proxy.ts";
import { describePage, type Running } from "./running.ts";
import { type FakeWallet, installWallets } from "./wallet.ts";

const PAY_TO = "0x00000000000000000000000000000000c0ffee14";
const PRICE = 50_000n;
const BASE_SEPOLIA = 84_532;

let sample: Uint8Array;
beforeAll(async () => {
  sample = await samplePdf();
});

describePage("paying with the development key", (running) => {
  test("a purchase with the development key takes one click and returns exactly the bytes of the preview", () =>
    withPage(
      running.browser,
      running.worker.url,
      async ({ page, complaints, requested }) => {
        await chooseFile(page, sample);
        await page.click("form[data-operation=text] summary");
        await expectChange(page, () => page.fill("#text-text", "BOUGHT"));
        await page.fill("#text-filename", "signed.pdf");
        expect(requested.filter((path) => path.includes("payer"))).toEqual([]);

        await page.click("#buy-in-development");
        await page.waitForSelector(".receipt");
        expect(await page.innerText(".receipt")).toMatch(
          /signed\.pdf is ready\s+Bought .*: “BOUGHT”\s+4 pages.*0\.05 USDC\s+The link expires in 24 hours/,
        );
        expect(await page.evaluate("document.activeElement.className")).toBe("receipt");

        const [download] = await Promise.all([page.waitForEvent("download"), page.click("[data-part=download]")]);
        expect(download.suggestedFilename()).toBe("signed.pdf");
        const bytes = await readFile(await download.path());
        expect(bytes.toString("base64")).toBe(await page.evaluate("lastMarked.toBase64()"));
        // Chromium reports every download as aborted.
        expect(complaints.filter((words) => !words.includes("ERR_ABORTED"))).toEqual([]);
      },
      {},
      keepMarked,
    ));

  test("a receipt says what was bought and when, and changed settings no longer count as bought", () =>
    withPage(running.browser, running.worker.url, async ({ page }) => {
      await chooseFile(page, sample);
      await page.check("[name=template][value=stamp]", { force: true });
      await expect.poll(() => page.isEnabled("#buy-in-development"), PATIENCE).toBe(true);
      await page.click("#buy-in-development");
      await page.waitForSelector(".receipt");
      const order = () => page.textContent(".receipt [data-part=order]");
      expect(await order()).toMatch(/^Bought \w+ \d+, \d{4}, .*: “CONFIDENTIAL”, stamp$/);
      await expectChange(page, () => page.fill("#text-text", "ANOTHER"));
      await expectPurchaseStatus(page, /not bought yet\. Each change is another call\.$/);
      expect(await page.textContent("#buy")).toBe("Get the PDF");
      await page.reload({ waitUntil: "networkidle" });
      expect(await order()).toContain(", stamp");
    }));

  test("a file with another name is another order if the text shows the name", () =>
    withPage(running.browser, running.worker.url, async ({ page }) => {
      await chooseFile(page, sample, "alice.pdf");
      await expectChange(page, () => page.fill("#text-text", "{filename}"));
      await page.click("form[data-operation=text] summary");
      await page.fill("#text-filename", "final.pdf");
      await expect.poll(() => page.isEnabled("#buy-in-development"), PATIENCE).toBe(true);
      await page.click("#buy-in-development");
      await page.waitForSelector(".receipt");
      await chooseFile(page, sample, "bob.pdf");
      await expectPurchaseStatus(page, /not bought yet/);
      expect(await page.textContent("#buy")).toBe("Get the PDF");
      await page.click("#buy-in-development");
      await expect.poll(() => page.locator(".receipt").count(), PATIENCE).toBe(2);
    }));

  test("two tabs that buy the same order at the same time sign one payment and get one link", () =>
    withPage(running.browser, running.worker.url, async ({ page }) => {
      const other = await page.context().newPage();
      await other.goto(page.url(), { waitUntil: "networkidle" });
      const tabs = [page, other];
      for (const tab of tabs) {
        await tab.bringToFront();
        await chooseFile(tab, sample);
        await expect.poll(() => tab.isEnabled("#buy-in-development"), PATIENCE).toBe(true);
      }
      const payments = new Set<string>();
      page.context().on("request", (request) => {
        const payment = request.headers()["payment-signature"];
        if (payment) payments.add(payment);
      });
      await Promise.all(tabs.map((tab) => tab.evaluate("document.getElementById('buy-in-development').click()")));
      for (const tab of tabs) await tab.waitForSelector(".receipt");
      const links = await Promise.all(tabs.map((tab) => tab.inputValue("[data-part=link]")));
      expect(links[0]).toBe(links[1]);
      expect(payments.size).toBe(1);
    }));

  test("a bought link can be copied and revoked", () =>
    withPage(
      running.browser,
      running.worker.url,
      async ({ page, complaints }) => {
        await chooseFile(page, sample);
        await page.click("#buy-in-development");
        await page.click("[data-part=copy]");
        const url = (await page.evaluate("navigator.clipboard.readText()")) as string;
        expect(url).toBe(await page.inputValue("[data-part=link]"));
        expect((await fetch(url)).status).toBe(200);
        await page.getByText("Copied", { exact: true }).waitFor();

        // Buying again returns the same link. The page shows a single receipt, even after a reload.
        await page.click("#buy");
        await page.waitForSelector("#purchase:not(.busy)");
        expect(await page.locator(".receipt").count()).toBe(1);
        await page.reload({ waitUntil: "networkidle" });
        expect(await page.inputValue(".receipt [data-part=link]")).toBe(url);
        expect(await page.innerText(".receipt")).toContain("contract-watermarked.pdf is ready");
        await chooseFile(page, sample);

        await page.click("[data-part=revoke]");
        expect(await page.evaluate("document.activeElement.textContent")).toBe("Keep link");
        await page.keyboard.press("Enter");
        expect((await fetch(url)).status).toBe(200);
        await page.click("[data-part=revoke]");
        await page.click("[data-part=confirm]");
        await page.getByText("You revoked the link.").waitFor();
        expect((await fetch(url)).status).toBe(410);
        expect(await page.locator("[data-part=download]").count()).toBe(0);

        // The payment of the revoked link is spent, so this click is a new purchase.
        await page.click("#buy-in-development");
        await expect.poll(() => page.locator(".receipt").count(), PATIENCE).toBe(2);
        expect(await page.inputValue("[data-part=link]")).not.toBe(url);
        expect(complaints).toEqual([]);
      },
      { permissions: ["clipboard-read", "clipboard-write"] },
    ));

  test("the label of the buy button matches the current settings, even if the settings change during a purchase", () =>
    withPage(running.browser, running.worker.url, async ({ page }) => {
      await page.setViewportSize({ width: 800, height: 1000 }); // large enough for the page and the purchase status
      await chooseFile(page, sample);
      const { promise: sent, resolve: send } = Promise.withResolvers<void>();
      const { promise: changed, resolve: change } = Promise.withResolvers<void>();
      await page.route("**/v1/watermark/text", async (route) => {
        if (!route.request().headers()["payment-signature"]) return route.continue();
        send();
        await changed;
        await route.fulfill({ status: 422, body: JSON.stringify({ detail: "Not this one." }) });
      });
      await page.click("#buy-in-development");
      await sent;
      await expectChange(page, () => page.fill("#text-text", "CHANGED MEANWHILE"));
      change();
      await expectPurchaseStatus(page, /^Not this one\.$/);
      await expect.poll(() => page.textContent("#buy"), PATIENCE).toBe("Get the PDF");
      await expectChange(page, () => page.fill("#text-text", "CONFIDENTIAL"));
      await expect.poll(() => page.textContent("#buy"), PATIENCE).toBe("Try again");
    }));

  test("the checkout shows the service's error message for a rejected call, and the payer is not charged", () =>
    withPage(running.browser, running.worker.url, async ({ page }) => {
      await page.evaluate("document.getElementById('purchase').dataset.maxBytes = '100'");
      await chooseFile(page, sample);
      await expectPurchaseStatus(page, /This page can send at most/);
      expect(await page.isDisabled("#buy-in-development")).toBe(true);
      await page.route("**/v1/watermark/text", (route) =>
        route.fulfill({ status: 429, headers: { "Retry-After": "7" }, body: JSON.stringify({ detail: "Not now." }) }),
      );
      await page.reload({ waitUntil: "networkidle" });
      await chooseFile(page, sample);
      await page.click("#buy-in-development");
      await expectPurchaseStatus(page, /^Not now\. Try again in 7 seconds\.$/);
      await page.unroute("**/v1/watermark/text");
      await page.click("#buy-in-development");
      await page.waitForSelector(".receipt");
    }));
});

let chain: Chain;
let facilitator: Awaited<ReturnType<typeof startFacilitator>>;
const onChain = async () => {
  chain = await startChain();
  facilitator = await startFacilitator(chain);
  return { FACILITATOR_URL: facilitator.url, PAY_TO, FACILITATOR_TIMEOUT_SECONDS: "2" };
};
afterAll(async () => {
  await facilitator?.stop();
  await chain?.stop();
});

const payWithWallet = (running: Running) => {
  let proxy: Awaited<ReturnType<typeof startProxy>>;
  beforeAll(async () => {
    proxy = await startProxy(running.worker.url);
  });
  afterAll(() => proxy?.stop());

  /** Creates a wallet that holds twice the price, on the expected chain. */
  async function walletWith(changes: Partial<FakeWallet> = {}, value = 2n * PRICE): Promise<FakeWallet> {
    return {
      name: "Fox",
      account: await chain.payerWith(value),
      chainId: BASE_SEPOLIA,
      knows: [1, BASE_SEPOLIA],
      node: (method, params) => chain.client.request({ method, params } as never),
      ...changes,
    };
  }

  /** Opens the home page in a browser with these wallets, and chooses a file. */
  async function withWallets(
    wallets: FakeWallet[],
    use: (open: { page: Page; asked: string[]; complaints: string[]; paid(): Promise<bigint> }) => Promise<void>,
  ): Promise<void> {
    let asked: string[] = [];
    await withPage(
      running.browser,
      proxy.url,
      async ({ page, complaints }) => {
        await chooseFile(page, sample);
        await page.waitForSelector("#buy:enabled");
        const paid = async () => 2n * PRICE - (await chain.balanceOf(wallets[0]!.account.address));
        await use({ page, asked, complaints, paid });
      },
      {},
      async (context) => {
        ({ asked } = await installWallets(context, wallets));
      },
    );
  }

  test("a purchase with a wallet transfers the price once and uploads the file once", async () =>
    withWallets([await walletWith()], async ({ page, asked, complaints, paid }) => {
      proxy.posted.length = 0;
      const scripts: Promise<string>[] = [];
      page.on("response", (response) => {
        if (response.url().endsWith(".js")) scripts.push(response.text());
      });
      await page.click("#buy");
      await page.waitForSelector(".receipt");
      expect(await paid()).toBe(PRICE);
      expect(scripts.length).toBeGreaterThan(0);
      for (const script of scripts) expect(await script).not.toContain(DEVELOPMENT_KEY.slice(2));
      expect(asked).toContain("eth_signTypedData_v4");
      expect(asked).not.toContain("wallet_switchEthereumChain");
      expect(proxy.posted.map(({ bytes }) => bytes > sample.length)).toEqual([false, true]);
      expect(await violations(page)).toEqual([]);
      expect(complaints).toEqual([]);

      await page.click("#buy"); // The button's label is now "Get it again".
      await page.waitForSelector("#purchase:not(.busy)");
      expect(await page.locator(".receipt").count()).toBe(1);
      expect(await paid()).toBe(PRICE);
      await page.fill("#text-text", "OTHER SETTINGS");
      await expect.poll(() => page.textContent("#buy"), PATIENCE).toBe("Get the PDF");
      await page.click("#buy");
      await expect.poll(() => page.locator(".receipt").count(), PATIENCE).toBe(2);
      expect(await paid()).toBe(2n * PRICE);
    }));

  test("the checkout lists several wallets with names and icons, and a wallet can be selected with the keyboard", async () =>
    withWallets([await walletWith(), await walletWith({ name: "Harbor" })], async ({ page, complaints, paid }) => {
      await page.focus("#buy");
      await page.keyboard.press("Enter");
      await expectPurchaseStatus(page, /^Choose a wallet\.$/);
      expect(await page.locator(".wallets button").allInnerTexts()).toEqual(["Fox", "Harbor"]);
      expect(await page.evaluate("document.activeElement.textContent")).toBe("Fox");
      expect(
        await page.evaluate("[...document.querySelectorAll('.wallets img')].every((img) => img.naturalWidth > 0)"),
      ).toBe(true);
      expect(await violations(page)).toEqual([]);
      await page.keyboard.press("Enter");
      await page.waitForSelector(".receipt");
      expect(await paid()).toBe(PRICE);
      expect(complaints).toEqual([]);
    }));

  test("a series of purchases asks once for the wallet, and pays once for each PDF", async () =>
    withWallets([await walletWith(), await walletWith({ name: "Harbor" })], async ({ page, asked, paid }) => {
      const files = ["one.pdf", "two.pdf"].map((name, at) => ({
        ...{ name, mimeType: "application/pdf", buffer: Buffer.from([...sample, ...Array(at).fill(10)]) },
      }));
      await page.setInputFiles("#file", files);
      await page.waitForSelector("#series [data-payer=wallet]:enabled");
      await page.click("#series [data-payer=wallet]");
      await page.click(".wallets button >> text=Fox");
      await expect.poll(() => page.textContent("#series-status"), PATIENCE).toBe("All 2 PDFs are bought.");
      expect(asked.filter((method) => method === "eth_signTypedData_v4")).toHaveLength(2);
      expect(await page.locator(".receipt").count()).toBe(2);
      expect(await paid()).toBe(2n * PRICE);
    }));

  test("the checkout switches the wallet to the right chain, and adds the chain if the wallet lacks it", async () => {
    const wallet = await walletWith({ chainId: 1, knows: [1] });
    await withWallets([wallet], async ({ page, asked, paid }) => {
      await page.click("#buy");
      await page.waitForSelector(".receipt");
      expect(asked).toContain("wallet_addEthereumChain");
      expect(wallet.chainId).toBe(BASE_SEPOLIA);
      expect(await paid()).toBe(PRICE);
    });
  });

  test("the checkout says that the browser has no wallet, and offers the options that need no wallet", () =>
    withPage(running.browser, proxy.url, async ({ page }) => {
      await chooseFile(page, sample);
      expect(await page.isHidden("#no-wallet")).toBe(true);
      await page.click("#buy");
      await expectPurchaseStatus(page, /^No wallet was found in this browser\. Nothing was charged\.$/);
      const offer = page.locator("#no-wallet");
      expect(await offer.innerText()).toContain("put USDC on base-sepolia into it");
      expect(await offer.innerText()).not.toContain("development key");
      expect(await violations(page)).toEqual([]);
      await page.evaluate(`navigator.clipboard.writeText = async (text) => { window.copied = text; }`);
      await offer.getByText("Copy a link to these settings").click();
      await expectPurchaseStatus(page, /^The link was copied\./);
      expect(await page.evaluate("window.copied")).toContain("#settings=");
      for (const [label, client] of [
        ["Show the call for an AI agent", "mcp"],
        ["Show the call in code", "curl"],
      ] as const) {
        await offer.getByText(label).click();
        await page.locator(`#snippet-${client}`).waitFor();
        expect(await page.evaluate("document.activeElement.value")).toBe(client);
      }
      expect(await page.locator("#buy-in-development").count()).toBe(0);
      expect(await page.content()).not.toContain(DEVELOPMENT_KEY.slice(2));
    }));

  test("the checkout reports each wallet problem, and continues after the visitor has solved it", async () => {
    const wallet = await walletWith({ chainId: 1, stays: true });
    const { account } = wallet;
    await withWallets([wallet], async ({ page, asked, paid }) => {
      await page.click("#buy");
      await expectPurchaseStatus(page, /^Fox is still on another network\. Switch it to Base Sepolia/);
      expect(await page.evaluate("document.activeElement.id")).toBe("buy");

      Object.assign(wallet, { stays: false, account: await chain.payerWith(PRICE - 1n) });
      await page.click("#buy");
      await expectPurchaseStatus(page, /^The account 0x.* does not have enough USDC on Base Sepolia\./);
      expect(asked).not.toContain("eth_signTypedData_v4");

      Object.assign(wallet, { account, declines: true });
      await page.click("#buy");
      await expectPurchaseStatus(page, /^You declined in Fox\. Nothing was signed or charged\.$/);

      const { promise, resolve } = Promise.withResolvers<void>();
      const signTypedData = () => new Promise(() => resolve());
      Object.assign(wallet, { account: { ...account, signTypedData }, declines: false });
      await page.click("#buy");
      await promise;
      await page.click("#cancel");
      await expectPurchaseStatus(page, /^Canceled\. Nothing was charged\.$/);

      expect(await chain.balanceOf(account.address)).toBe(2n * PRICE);
      Object.assign(wallet, { account });
      await page.click("#buy");
      await page.waitForSelector(".receipt");
      expect(await paid()).toBe(PRICE);
    });
  });

  test("a visitor who retries after a lost answer and a page reload is charged only once", async () => {
    const wallet = await walletWith();
    await withWallets([wallet], async ({ page, asked, paid }) => {
      proxy.loseNextAnswer();
      await page.click("#buy");
      await expectPurchaseStatus(page, /^The answer was lost\. Try again: you will not be charged twice\.$/);
      await vi.waitUntil(async () => (await paid()) === PRICE, 5000);
      await page.reload({ waitUntil: "networkidle" });
      await chooseFile(page, sample);
      await expect.poll(() => page.textContent("#buy"), PATIENCE).toBe("Try again");
      asked.length = 0;
      await page.click("#buy");
      await page.waitForSelector(".receipt");
      expect(asked).toEqual([]); // The page sends the earlier signature again.
      expect((await fetch(await page.inputValue("[data-part=link]"))).status).toBe(200);
      expect(await paid()).toBe(PRICE);
    });
  });

  test("the checkout waits while the settlement is pending, and charges the payer once", async () =>
    withWallets([await walletWith()], async ({ page, asked, paid }) => {
      const problem = { code: "settlement_pending", detail: "The payment is being settled." };
      proxy.loseNextAnswer({ status: 503, headers: { "Retry-After": "1" }, problem });
      await page.click("#buy");
      await expectPurchaseStatus(page, /not confirmed yet\. This page tries again in 1 second/);
      await page.waitForSelector(".receipt");
      expect(asked.filter((method) => method === "eth_signTypedData_v4")).toHaveLength(1);
      expect(await paid()).toBe(PRICE);
    }));
};
describePage("paying with a wallet", payWithWallet, onChain);

/** Makes the page store the bytes of each newly marked file in `window.lastMarked`. */
function keepMarked(context: BrowserContext): Promise<unknown> {
  return context.addInitScript(`window.Worker = class extends Worker {
    constructor(...args) {
      super(...args);
      this.addEventListener("message", ({ data }) => {
        if (data.marked) window.lastMarked = data.marked.pdf.slice();
      });
    }
  }`);
}

function expectPurchaseStatus(page: Page, words: RegExp): Promise<void> {
  return expect.poll(() => page.textContent("#purchase-status"), PATIENCE).toMatch(words);
}
