import type { KeyObject } from "node:crypto";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import {
  type EIP712SignedReceipt,
  extractPublicKeyFromKid,
  extractReceiptFromResponse,
  verifyReceiptSignatureEIP712,
} from "@x402/extensions/offer-receipt";
import { wrapFetchWithPaymentFromConfig } from "@x402/fetch";
import { generatePrivateKey, privateKeyToAccount, privateKeyToAddress } from "viem/accounts";
import { publicKeyToAddress } from "viem/utils";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { samplePdf } from "../../scripts/lib/samplePdf.ts";
import type { RunningWorker } from "../../scripts/lib/worker.ts";
import { DEVELOPMENT_KEY } from "../../src/payments/localFacilitator.ts";
import { NETWORK_NAMES } from "../../src/payments/networks.ts";
import { startWorker } from "../support/worker.ts";

const RECEIPT_KEY = generatePrivateKey();
let worker: RunningWorker;
beforeAll(async () => {
  worker = await startWorker({
    RECEIPT_KEY,
    NETWORKS: ["base-sepolia", ...NETWORK_NAMES.filter((name) => !/^sol|^base-sepolia/.test(name))].join(),
  });
});
afterAll(() => worker?.stop());

describe("a deployment that signs, with more networks than it signs offers for", () => {
  test("is paid by the official client, which sends the offers back, and its receipt leads to its key", async () => {
    const client = new ExactEvmScheme(privateKeyToAccount(DEVELOPMENT_KEY));
    const pay = wrapFetchWithPaymentFromConfig(fetch, { schemes: [{ network: "eip155:*", client }] });
    const form = new FormData();
    form.set("file", new File([new Uint8Array(await samplePdf())], "sample.pdf"));
    form.set("text", "PROVED");
    const response = await pay(`${worker.url}/v1/watermark/text`, { method: "POST", body: form });
    expect(response.status).toBe(200);
    const { signer, payload } = await verifyReceiptSignatureEIP712(
      extractReceiptFromResponse(response) as EIP712SignedReceipt,
    );
    expect(payload.payer).toBe(privateKeyToAddress(DEVELOPMENT_KEY));

    const did = `did:web:${new URL(payload.resourceUrl).host.replace(":", "%3A")}`;
    const key = (await extractPublicKeyFromKid(`${did}#key`)) as KeyObject;
    const { x, y } = key.export({ format: "jwk" });
    const bytes = [x, y].map((part) => Buffer.from(part!, "base64url").toString("hex"));
    expect(publicKeyToAddress(`0x04${bytes.join("")}`)).toBe(signer);
    expect(signer).toBe(privateKeyToAddress(RECEIPT_KEY));
  });
});
