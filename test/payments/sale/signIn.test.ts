import { generateKeyPairSync, sign } from "node:crypto";
import base58 from "bs58";
import { describe, expect, test } from "vitest";
import { signedInBy, signInExtension } from "../../../src/payments/sale/signIn.ts";
import { NETWORKS } from "../../../src/payments/wire/networks.ts";

const now = Date.parse("2026-05-01T10:00:00Z");
const terms = {
  url: new URL("https://pdf.example/v1/purchases"),
  networks: [NETWORKS["base-sepolia"], NETWORKS["solana-devnet"]],
  rpcUrls: {},
  now,
};

const { publicKey, privateKey } = generateKeyPairSync("ed25519");
const address = base58.encode(publicKey.export({ type: "spki", format: "der" }).subarray(-32));
const message = {
  domain: "pdf.example",
  address,
  statement: "List what I have bought",
  uri: "https://pdf.example/v1/purchases",
  version: "1",
  chainId: NETWORKS["solana-devnet"].caip2,
  type: "ed25519",
  nonce: "0123456789abcdef",
  issuedAt: "2026-05-01T10:00:00Z",
};

/** The text that a Solana wallet signs for a sign-in. */
const text = `pdf.example wants you to sign in with your Solana account:
${address}

List what I have bought

URI: https://pdf.example/v1/purchases
Version: 1
Chain ID: EtWTRABZaYq6iMfeYKouRu166VU2xqa1
Nonce: 0123456789abcdef
Issued At: 2026-05-01T10:00:00Z`;
const signed = (of: string) => base58.encode(sign(null, Buffer.from(of), privateKey));
const signIn = (changes: object, of = text) =>
  signedInBy(btoa(JSON.stringify({ ...message, signature: signed(of), ...changes })), terms);

describe("a sign-in on Solana", () => {
  test("a sign-in challenge lists the chains on which a payer can sign in, including Solana", () => {
    expect(signInExtension(terms)["sign-in-with-x"].supportedChains).toEqual([
      { chainId: "eip155:84532", type: "eip191" },
      { chainId: "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1", type: "ed25519" },
    ]);
  });

  test("a sign-in message signed with a Solana key is accepted", async () => {
    expect(await signIn({})).toEqual({ address, onlyOn: undefined });
  });

  test("a sign-in message without a statement is accepted", async () => {
    expect(await signIn({ statement: undefined }, text.replace("List what I have bought\n\n", ""))).toEqual({
      address,
      onlyOn: undefined,
    });
  });

  test.each([
    ["another text", {}, `${text} `],
    ["another payer's address", { address: base58.encode(new Uint8Array(32).fill(7)) }, text],
    ["an address that is not a public key", { address: base58.encode(new Uint8Array(32).fill(255)) }, text],
    ["the type of another kind of chain", { type: "eip191" }, text],
    ["the id of another kind of chain", { chainId: "eip155:84532" }, text],
    ["a chain that is not offered", { chainId: NETWORKS.solana.caip2 }, text],
    ["a signature that is too short", { signature: base58.encode(new Uint8Array(40)) }, text],
  ])("a sign-in message with %s is rejected", async (_, changes, of) => {
    await expect(signIn(changes, of)).rejects.toMatchObject({ code: "sign_in_refused" });
  });
});
