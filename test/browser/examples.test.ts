/**
 * Tests `examples/browser.html` on an origin other than the service's. The test uses a real browser whose wallet signs
 * every request.
 */
import { join } from "node:path";
import { context } from "esbuild";
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DEVELOPMENT_KEY } from "../../src/payments/facilitators/localFacilitator.ts";
import { describePage } from "./running.ts";

const folder = join(import.meta.dirname, "../../examples");
const account = privateKeyToAccount(DEVELOPMENT_KEY);

/**
 * Announces a wallet to the page (EIP-6963). The wallet forwards its requests to the function `window.answer`, which
 * the test provides.
 */
const WALLET = `addEventListener("eip6963:requestProvider", () => {
  const provider = { request: (asked) => answer(asked), on() {}, removeListener() {} };
  const info = { uuid: crypto.randomUUID(), name: "Test", icon: "data:,", rdns: "com.example.test" };
  dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail: Object.freeze({ info, provider }) }));
});`;

describePage("examples/", (running) => {
  let build: Awaited<ReturnType<typeof context>>;
  beforeAll(async () => {
    const entryPoints = [join(folder, "browser.ts")];
    build = await context({ entryPoints, bundle: true, format: "esm", outdir: folder, write: false });
  });
  afterAll(() => build?.dispose());

  test("examples/browser.html buys a marked file from a service on another origin", async () => {
    const { port } = await build.serve({ host: "127.0.0.1", servedir: folder });
    const page = await running.browser.newPage();
    const asked: string[] = [];
    await page.exposeFunction("answer", async ({ method, params }: { method: string; params: [string, string] }) => {
      asked.push(method);
      if (method === "eth_requestAccounts") return [account.address];
      if (method === "wallet_switchEthereumChain") return null;
      if (method === "eth_signTypedData_v4") return account.signTypedData(JSON.parse(params[1]));
      throw new Error(`the wallet does not know ${method}`);
    });
    await page.addInitScript(WALLET);
    await page.goto(`http://127.0.0.1:${port}/browser.html?service=${encodeURIComponent(running.worker.url)}`);
    await page.setInputFiles("[name=file]", join(folder, "contract.pdf"));
    await page.fill("[name=text]", "SECRET");
    await page.click("button");
    const link = page.locator("output a");
    await expect.poll(() => page.textContent("output"), { timeout: 15_000 }).toBe("4 pages marked for 0.05 USDC");
    expect(asked).toEqual(["eth_requestAccounts", "wallet_switchEthereumChain", "eth_signTypedData_v4"]);
    const marked = await fetch((await link.getAttribute("href"))!);
    expect([marked.status, marked.headers.get("Content-Type")]).toEqual([200, "application/pdf"]);
  });
});
