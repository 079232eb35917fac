import { createHash, type KeyObject } from "node:crypto";
import { readFile } from "node:fs/promises";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import * as official from "@x402/extensions/offer-receipt";
import { decodePaymentResponseHeader, wrapFetchWithPaymentFromConfig } from "@x402/fetch";
import { recoverTypedDataAddress } from "viem";
import { generatePrivateKey, privateKeyToAccount, privateKeyToAddress } from "viem/accounts";
import { publicKeyToAddress } from "viem/utils";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { samplePdf } from "../../scripts/lib/samplePdf.ts";
import { DEVELOPMENT_KEY } from "../../src/payments/facilitators/localFacilitator.ts";
import { NETWORK_NAMES } from "../../src/payments/wire/networks.ts";
import { result } from "../../src/service/request/schemas.ts";
import { type StartedWorker, startWorker } from "../support/worker.ts";

const RECEIPT_KEY = generatePrivateKey();
const PAYER = privateKeyToAccount(DEVELOPMENT_KEY);
let worker: StartedWorker;
beforeAll(async () => {
  const others = NETWORK_NAMES.filter((name) => !/^sol|^base-sepolia/.test(name));
  worker = await startWorker({ RECEIPT_KEY, NETWORKS: ["base-sepolia", ...others].join() });
});
afterAll(() => worker?.stop());

const sha256 = (bytes: Uint8Array) => `0x${createHash("sha256").update(bytes).digest("hex")}`;

/** Values that the documented program computes from the answer to a call. */
interface Checked {
  signer: string;
  deliverer: string;
  payload: { payer: string; resourceUrl: string };
  files: { inputSha256: string; outputSha256: string };
}

/** Returns a function that runs the program of docs/payments.md on the answer to a call. */
async function documentedCheck(): Promise<(response: Response) => Promise<Checked>> {
  const [, program = ""] = /```js\n(.*?)```/s.exec((await readFile("docs/payments.md", "utf8")).split("## Proof")[1]!)!;
  const packages = { ...official, decodePaymentResponseHeader, recoverTypedDataAddress };
  const imported = Array.from(program.matchAll(/^import \{ (.*) \}.*$/gm), ([, names]) => names!.split(", ")).flat();
  const body = `${program.replaceAll(/^import .*$/gm, "")}; return { signer, deliverer, payload, files };`;
  const AsyncFunction = (async () => {}).constructor as new (
    ...code: string[]
  ) => (...given: unknown[]) => Promise<Checked>;
  const run = new AsyncFunction("response", ...imported, body);
  return (response) => run(response, ...imported.map((name) => packages[name as keyof typeof packages]));
}

describe("a deployment that signs receipts and has more networks than signed offers", () => {
  test("the official client pays a deployment that signs receipts, and the documented program verifies the receipt", async () => {
    const pay = wrapFetchWithPaymentFromConfig(fetch, {
      schemes: [{ network: "eip155:*", client: new ExactEvmScheme(PAYER) }],
    });
    const source = new Uint8Array(await samplePdf());
    const form = new FormData();
    form.set("file", new File([source], "sample.pdf"));
    form.set("text", "PROVED");
    const response = await pay(`${worker.url}/v1/watermark/text`, { method: "POST", body: form });
    expect(response.status).toBe(200);

    const { signer, deliverer, payload, files } = await (await documentedCheck())(response);
    expect([signer, deliverer]).toEqual(Array(2).fill(privateKeyToAddress(RECEIPT_KEY)));
    expect(payload).toMatchObject({ payer: PAYER.address, resourceUrl: `${worker.url}/v1/watermark/text` });
    const marked = await fetch(result.parse(await response.json()).output.url);
    expect(files).toEqual({
      inputSha256: sha256(source),
      outputSha256: sha256(new Uint8Array(await marked.arrayBuffer())),
    });
  });

  test("the official resolver finds a deployment's public key through the deployment's did:web", async () => {
    const did = `did:web:${new URL(worker.url).host.replace(":", "%3A")}`;
    const key = (await official.extractPublicKeyFromKid(`${did}#key`)) as KeyObject;
    const { x, y } = key.export({ format: "jwk" });
    const bytes = [x, y].map((part) => Buffer.from(part!, "base64url").toString("hex"));
    expect(publicKeyToAddress(`0x04${bytes.join("")}`)).toBe(privateKeyToAddress(RECEIPT_KEY));
  });
});
