/**
 * `npm run -s pay -- http://127.0.0.1:8787/v1/watermark/text` prints a signed `X-PAYMENT` header for one call of that
 * endpoint.
 */
import { paymentFor } from "./lib/pay.ts";

const [endpoint] = process.argv.slice(2);
if (!endpoint) {
  console.error("usage: npm run -s pay -- ENDPOINT");
  process.exit(2);
}
console.log(await paymentFor(endpoint));
