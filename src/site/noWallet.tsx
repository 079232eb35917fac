interface NoWalletProps {
  /** Names of the networks on which the deployment accepts payments. */
  networks: string[];
  hasDevelopmentKey: boolean;
}

/**
 * The ways to get the PDF without a wallet in this browser. `web/purchase.ts` shows this element, and `web/sharing.ts`
 * runs its buttons.
 */
export function NoWallet({ networks, hasDevelopmentKey }: NoWalletProps) {
  return (
    <div id="no-wallet" class="no-wallet" hidden>
      <p>
        To pay here, install a wallet extension, put USDC on {networks.join(" or ")} into it, and reload this page. What
        works now:
      </p>
      <ul>
        {hasDevelopmentKey && <li>This is a development server: pay with the development key above, for free.</li>}
        <li>
          <button type="button" class="link" data-shares="purchase-status">
            Copy a link to these settings
          </button>{" "}
          and open it in a browser with a wallet. The link does not contain the file.
        </li>
        <li>
          <button type="button" class="link" data-shows="mcp">
            Show the call for an AI agent
          </button>{" "}
          that has a wallet.
        </li>
        <li>
          <button type="button" class="link" data-shows="curl">
            Show the call in code
          </button>{" "}
          and send it with curl, TypeScript or Python.
        </li>
      </ul>
    </div>
  );
}
