/** Content-Security-Policy (Level 3). Nothing comes from another origin, and no policy has an `unsafe-` source. */

/**
 * Returns the policy of the page. Wallets bring their icons as data (EIP-6963).
 * @param fileHost where links are ended, if files have a host of their own
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

/** Of pages for reading, which have no script. */
export const READING_POLICY = policy(READING);

/** Of the page that takes a file for an upload. */
export const UPLOAD_POLICY = policy({ ...READING, "script-src": "'self'", "connect-src": "'self'" });

/** Of scripts, which counts where one runs as a worker: HarfBuzz and decoders of pdf.js are WebAssembly. */
export const WORKER_POLICY = policy({
  "default-src": "'none'",
  "script-src": "'self' 'wasm-unsafe-eval'",
  "connect-src": "'self'",
});

function policy(directives: Record<string, string>): string {
  return Object.entries(directives)
    .map((directive) => directive.join(" "))
    .join("; ");
}
