/**
 * The facilitator of the benchmark of calls that do not pay, to be forked: it takes every payment whose signature does not
 * begin like forged ones, as its argument says. Tells its parent its address.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const [forged] = process.argv.slice(2);
const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  const isForged = body.includes(`"signature":"${forged}`);
  const answer = request.url?.endsWith("/verify")
    ? { isValid: !isForged, ...(isForged && { invalidReason: "invalid_exact_evm_payload_signature" }) }
    : { success: true, transaction: `0x${"ab".repeat(32)}`, network: "base-sepolia", payer: "" };
  response.setHeader("Content-Type", "application/json").end(JSON.stringify(answer));
});
server.listen(0, "127.0.0.1", () => process.send!(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
process.on("disconnect", () => process.exit());
