/**
 * Content-Security-Policies (CSP Level 3). No page loads anything from another origin, and no policy contains
 * `'unsafe-inline'` or `'unsafe-eval'`.
 */

/**
 * Returns the policy of the home page. The policy allows `data:` images because wallets supply their icons as data URLs
 * (EIP-6963).
 * @param fileHost the separate host where links are revoked; undefined if files have no separate host
 */
export function pagePolicy(fileHost: string | undefined): string {
  return policy({
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",
    "font-src": "'self'",
    "connect-src": fileHost === undefined ? "'self'" : `'self' https://${fileHost}`,
    "worker-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
  });
}

const READING = {
  "default-src": "'none'",
  "style-src": "'self'",
  "img-src": "'self'",
  "font-src": "'self'",
  "base-uri": "'none'",
  "form-action": "'none'",
  "frame-ancestors": "'none'",
};

/** Policy of pages without scripts. */
export const READING_POLICY = policy(READING);

/** Policy of pages with a script that sends no requests. */
export const SCRIPT_POLICY = policy({ ...READING, "script-src": "'self'" });

/** Policy of pages whose script sends requests to this deployment. */
export const CALLING_POLICY = policy({ ...READING, "script-src": "'self'", "connect-src": "'self'" });

/**
 * Policy of scripts that run as workers. The policy allows WebAssembly, which HarfBuzz and some decoders of pdf.js
 * need.
 */
export const WORKER_POLICY = policy({
  "default-src": "'none'",
  "script-src": "'self' 'wasm-unsafe-eval'",
  "connect-src": "'self'",
});

/** Policy of callers' files that only scripts read. */
export const SANDBOX_POLICY = policy({ "default-src": "'none'", sandbox: "" });

function policy(directives: Record<string, string>): string {
  return Object.entries(directives)
    .map((directive) => directive.join(" "))
    .join("; ");
}
