/**
 * The facilitator of the benchmarks, which `startFacilitator.ts` starts. The facilitator rejects payments whose
 * signature begins with the digits in its argument, and accepts all other payments. It sends its address to its parent
 * process.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Delays } from "./startFacilitator.ts";

const [forged] = process.argv.slice(2);
let delays: Delays = { verifyMs: 0, settleMs: 0 };
const settled = new Set<string>();

const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  const isVerification = request.url?.endsWith("/verify") === true;
  await sleep(isVerification ? delays.verifyMs : delays.settleMs);
  const isForged = body.includes(`"signature":"${forged}`);
  const nonce = /"nonce":"(0x[0-9a-f]{64})"/.exec(body)?.[1];
  if (!isVerification && nonce) settled.add(nonce);
  const answer = isVerification
    ? { isValid: !isForged, ...(isForged && { invalidReason: "invalid_exact_evm_payload_signature" }) }
    : { success: true, transaction: `0x${"ab".repeat(32)}`, network: "base-sepolia", payer: "" };
  response.setHeader("Content-Type", "application/json").end(JSON.stringify(answer));
});
server.listen(0, "127.0.0.1", () => process.send!(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
process.on("message", (asked: Delays | "settled") => {
  if (asked !== "settled") delays = asked;
  else {
    process.send!([...settled]);
    settled.clear();
  }
});
process.on("disconnect", () => process.exit());
