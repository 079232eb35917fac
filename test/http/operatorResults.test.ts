import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { expect, test } from "vitest";
import { signPayment } from "../../scripts/lib/pay.ts";
import { app } from "../../src/app.ts";
import { takedownAnswer } from "../../src/service/account/takedown.ts";
import { callPaid, dataUri, ORIGIN, offerOf, TEXT } from "../support/client.ts";
import { onePage } from "../support/pdf.ts";
import { bucket } from "../support/storage.ts";

const TOKEN = "0123456789abcdef0123456789abcdef";

async function ask(url: string, init: RequestInit = {}): Promise<Response> {
  const context = createExecutionContext();
  const response = await app.fetch(new Request(new URL(url, ORIGIN), init), { ...env, OPERATOR_TOKEN: TOKEN }, context);
  await waitOnExecutionContext(context);
  return response;
}
const remove = (query: string, token = TOKEN) =>
  ask(`/v1/operator/results?${query}`, { method: "DELETE", headers: { Authorization: `Bearer ${token}` } });
const removedBy = async (query: string) => takedownAnswer().parse(await (await remove(query)).json()).removed;

/** Buys a result, and returns its link. */
async function buy(key: `0x${string}`, text: string): Promise<URL> {
  const payment = await signPayment(await offerOf(TEXT), key);
  const answer = await callPaid(TEXT, { file: dataUri("application/pdf", onePage), text }, payment);
  return new URL(((await answer.json()) as { output: { url: string } }).output.url);
}
const idOf = ({ pathname }: URL) => pathname.slice(pathname.lastIndexOf("/") + 1, -".pdf".length);

test("a takedown by id works without the link's token, deletes the file, and makes the link answer 410", async () => {
  const link = await buy(generatePrivateKey(), "A");
  const id = idOf(link);
  expect(await removedBy(`id=${id}`)).toEqual([id]);
  expect((await bucket.head(`results/${id.slice(0, 6)}/${id}`))?.size).toBe(0);
  expect((await ask(link.href)).status).toBe(410);
  expect(await removedBy(`id=${id}`)).toEqual([]);
  expect(await removedBy(`id=${id.slice(0, 6)}-${"0".repeat(32)}`)).toEqual([]);
});

test("a takedown by payer deletes all results of this payer and of no other payer", async () => {
  const [payer, other] = [generatePrivateKey(), generatePrivateKey()];
  const links = [await buy(payer, "A"), await buy(payer, "B")];
  const kept = await buy(other, "C");
  const removed = await removedBy(`payer=${privateKeyToAccount(payer).address}`);
  expect(removed.toSorted()).toEqual(links.map(idOf).toSorted());
  for (const link of links) expect((await ask(link.href)).status).toBe(410);
  expect((await ask(kept.href)).status).toBe(200);
});

test("a takedown requires OPERATOR_TOKEN and either an id or a payer", async () => {
  const id = `492103-${"0".repeat(32)}`;
  expect((await remove(`id=${id}`, "wrong")).status).toBe(403);
  for (const query of ["", "id=x", "payer=0x", `id=${id}&payer=${"0".repeat(40)}`])
    expect((await remove(query)).status).toBe(400);
});
