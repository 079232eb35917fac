/**
 * Buys a mark with the client, as a caller would, in every runtime. Started as a program, it expects the address of a
 * deployment and the path of a PDF, and prints the SHA-256 of the result.
 */
import { Overprint, OverprintError } from "@overprint/client";
import { privateKeyToAccount } from "viem/accounts";

/** The development key, which only a deployment on this machine accepts. */
const account = privateKeyToAccount("0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80");

export async function buy(url, pdf) {
  const overprint = new Overprint({ url, account });
  const failure = await overprint.watermarkText("contract.pdf", { text: "DRAFT" }).catch((error) => error);
  if (!(failure instanceof OverprintError) || failure.code !== "invalid_argument") throw failure;
  const marked = await overprint.watermarkText(pdf, { text: "DRAFT" });
  if (!marked.receipt) throw new Error(marked.receiptFault);
  const digest = await crypto.subtle.digest("SHA-256", await marked.bytes());
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

const [, , url, path] = globalThis.process?.argv ?? [];
if (path) {
  const { readFile } = await import("node:fs/promises");
  console.log(await buy(url, await readFile(path)));
}
