/** Tests `@overprint/client` with the real Worker, a local chain, and malicious deployments. */
import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { decodePaymentSignatureHeader } from "@x402/core/http";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { samePages } from "../../bench/inputs.ts";
import { Overprint, type OverprintError, type OverprintOptions } from "../../packages/client/index.ts";
import { loadFont } from "../../scripts/lib/loadFont.ts";
import { type ImageMark, type TextMark, watermark } from "../../src/engine/index.ts";
import { DEVELOPMENT_KEY } from "../../src/payments/facilitators/localFacilitator.ts";
import { UPLOADS } from "../../src/settings/limits.ts";
import { startProxy } from "../browser/proxy.ts";
import { joined } from "../support/bytes.ts";
import { type StartedWorker, startWorker } from "../support/worker.ts";
import { type Chain, startChain } from "./chain/anvil.ts";
import { channelClient, installChannels } from "./chain/channels.ts";
import { startFacilitator } from "./chain/facilitator.ts";
import { startOfficialSeller } from "./chain/officialSeller.ts";
import { changedTerms, playedDeployments } from "./playedDeployment.ts";

const root = join(import.meta.dirname, "../..");
const PAY_TO = "0x00000000000000000000000000000000c0ffee55";
const PRICE = 50_000n;
const account = privateKeyToAccount(DEVELOPMENT_KEY);

let contract: Uint8Array<ArrayBuffer>;
let logo: Uint8Array<ArrayBuffer>;
let worker: StartedWorker;
let proxy: Awaited<ReturnType<typeof startProxy>>;
beforeAll(async () => {
  [contract, logo] = await Promise.all(
    ["contract.pdf", "logo.png"].map(async (name) => new Uint8Array(await readFile(join(root, "examples", name)))) as [
      Promise<Uint8Array<ArrayBuffer>>,
      Promise<Uint8Array<ArrayBuffer>>,
    ],
  );
  worker = await startWorker({ RECEIPT_KEY: generatePrivateKey() });
  proxy = await startProxy(worker.url);
});
afterAll(async () => {
  await proxy?.stop();
  await worker?.stop();
});

const clientOf = (options: Partial<OverprintOptions> = {}) => new Overprint({ url: worker.url, account, ...options });

/** Returns the error of a call that must fail. */
async function failureOf(call: Promise<unknown>): Promise<OverprintError> {
  return call.then(
    () => expect.fail("the call succeeded"),
    (error) => error,
  );
}

/** Marks a file with the engine, by default the sample contract. */
async function markedByEngine(mark: TextMark | ImageMark, pdf = contract): Promise<Uint8Array> {
  const options = { filename: "watermarked.pdf", loadFont };
  return joined((await ("image" in mark ? watermark(pdf, mark, options) : watermark(pdf, mark, options))).chunks());
}

describe("@overprint/client", () => {
  test("the client buys a text mark, and downloads the same bytes as the engine writes", async () => {
    const marked = await clientOf().watermarkText(contract, { text: "DRAFT", template: "stamp", font_size: 12 });
    expect(marked).toMatchObject({
      pages: 4,
      operation: "watermark.text",
      cost: "0.05 USDC",
      notices: [],
      receiptFault: undefined,
    });
    expect(marked.expiresAt.getTime()).toBeGreaterThan(Date.now());
    const bytes = await marked.bytes();
    expect(bytes).toHaveLength(marked.length);
    expect(Buffer.compare(bytes, await markedByEngine({ text: "DRAFT", template: "stamp", fontSizePt: 12 }))).toBe(0);
    expect(Buffer.compare(bytes, new Uint8Array(await new Response(marked.stream()).arrayBuffer()))).toBe(0);
  });

  test("the client buys an image mark with the given scale and position", async () => {
    const image = new Blob([logo]);
    const marked = await clientOf().watermarkImage(new Blob([contract]), { image, scale: 0.2, position: "top-right" });
    const expected = await markedByEngine({ image: logo, scale: 0.2, position: "top-right" });
    expect(Buffer.compare(await marked.bytes(), expected)).toBe(0);
  });

  test("the client returns each notice with its code, its pages and a message", async () => {
    const { notices } = await clientOf().watermarkText(contract, { text: "X", offset_x: 5000 });
    expect(notices).toEqual([
      {
        code: "mark-outside",
        pages: "1-4",
        message: expect.stringContaining("moves the mark off the page: pages 1-4"),
      },
    ]);
  });

  test("the client uploads a file that is too large for the call", async () => {
    const pdf = samePages(30, 400_000);
    expect(pdf.length).toBeGreaterThan(10e6);
    proxy.posted.length = 0;
    const marked = await clientOf({ url: proxy.url }).watermarkText(pdf, { text: "X" });
    expect(proxy.posted.every(({ bytes }) => bytes < 100_000)).toBe(true);
    expect(Buffer.compare(await marked.bytes(), await markedByEngine({ text: "X" }, pdf))).toBe(0);
  });

  test("the client uploads a file of more than 50 MB in parts, and checks the hash of the parts in the receipt", async () => {
    const pdf = samePages(130, 400_000);
    expect(pdf.length).toBeGreaterThan(UPLOADS.wholeBytes);
    proxy.posted.length = 0;
    const marked = await clientOf({ url: proxy.url }).watermarkText(pdf, { text: "X" });
    const sent = proxy.posted.map(({ path }) => path.replace(/\d{6}-[0-9a-f]+/, "ID"));
    expect(sent.filter((path) => path.includes("uploads"))).toEqual(["/v1/uploads", "/v1/uploads/ID/complete"]);
    expect([marked.pages, marked.receiptFault, marked.receipt?.isSigned]).toEqual([130, undefined, true]);
  });

  test("the client accepts an upload handle in place of a file", async () => {
    const answer = await fetch(`${worker.url}/v1/uploads`, { method: "POST" });
    const { handle, upload } = (await answer.json()) as { handle: string; upload: { url: string } };
    await fetch(upload.url, { method: "PUT", body: contract });
    expect((await clientOf().watermarkText(handle, { text: "X" })).pages).toBe(4);
  });

  test("the client rejects a path in place of a file before it sends a request", async () => {
    proxy.posted.length = 0;
    const error = await failureOf(clientOf({ url: proxy.url }).watermarkText("contract.pdf", { text: "X" }));
    expect([error.code, proxy.posted]).toEqual(["invalid_argument", []]);
  });

  test.each<[string, unknown]>([
    ["no file", undefined],
    ["an object", {}],
    ["a promise", Promise.resolve(new Uint8Array(1))],
    ["a URL of a local file", new URL("file:///contract.pdf")],
  ])("the client rejects %s in place of a file before it sends a request", async (_, file) => {
    proxy.posted.length = 0;
    const client = clientOf({ url: proxy.url });
    const error = await failureOf(client.watermarkText(file as Uint8Array, { text: "X" }));
    expect([error.code, proxy.posted]).toEqual(["invalid_argument", []]);
    expect(await failureOf(client.watermarkImage(contract, { image: file as Uint8Array }))).toMatchObject({
      code: "invalid_argument",
      message: expect.stringContaining("`image` must be"),
    });
  });

  test.each(["order–42", "a\nb", "", "x".repeat(256)])(
    "the client rejects the idempotency key %j before it sends a request",
    async (idempotencyKey) => {
      proxy.posted.length = 0;
      const error = await failureOf(
        clientOf({ url: proxy.url }).watermarkText(contract, { text: "X" }, { idempotencyKey }),
      );
      expect([error.code, error.mayBePaid, proxy.posted]).toEqual(["invalid_argument", false, []]);
      expect(error.message).toContain("`idempotencyKey` must be 1 to 255 printable ASCII characters");
    },
  );

  test("the client treats the idempotency key null as missing", async () => {
    const options = { idempotencyKey: null as unknown as undefined };
    const { idempotencyKey } = await clientOf().watermarkText(contract, { text: "X" }, options);
    expect(idempotencyKey).toMatch(/^[0-9a-f-]{36}$/);
  });

  test.each<[string, unknown]>([
    ["nothing", undefined],
    ["a private key", DEVELOPMENT_KEY],
    ["an account that cannot sign", { address: account.address }],
  ])("the client rejects %s in place of an account", (_, given) => {
    expect(() => clientOf({ account: given as typeof account })).toThrow("`account` must be an account that signs");
  });

  test.each([
    ["http://pdf.example.com"],
    ["https://pdf.example.com/v1"],
    ["ftp://pdf.example.com"],
    ["pdf.example.com"],
  ])("the client rejects the address %s", (url) => {
    expect(() => clientOf({ url })).toThrow("`url` must be the https address of a deployment");
  });

  test("the client throws the service's error with its code, status, fields and request id", async () => {
    const error = await failureOf(clientOf().watermarkText(contract, { text: "X", opacity: 50 }));
    expect(error).toMatchObject({
      name: "OverprintError",
      code: "invalid_request",
      status: 400,
      errors: [{ path: "opacity", message: expect.stringContaining("from 0 to 1") }],
      requestId: expect.stringMatching(/./),
      mayBePaid: false,
      idempotencyKey: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(await failureOf(clientOf().watermarkText(logo, { text: "X" }))).toMatchObject({ code: "not_a_pdf" });
  });

  test("the client pays at most maxPrice, and only on the given network", async () => {
    const dear = await failureOf(clientOf({ maxPrice: "0.049" }).watermarkText(contract, { text: "X" }));
    expect([dear.code, dear.message]).toEqual([
      "not_payable",
      "The price is 0.05 USDC, more than `maxPrice`, which is 0.049 USDC.",
    ]);
    const elsewhere = await failureOf(clientOf({ network: "base" }).watermarkText(contract, { text: "X" }));
    expect(elsewhere).toMatchObject({ code: "not_payable", message: expect.stringContaining("exact on eip155:84532") });
    expect((await clientOf({ network: "base-sepolia" }).watermarkText(contract, { text: "X" })).pages).toBe(4);
  });

  test("the client throws an error if the account does not sign", async () => {
    const signTypedData = () => Promise.reject(new Error("the user refused"));
    const error = await failureOf(
      clientOf({ account: { ...account, signTypedData } }).watermarkText(contract, { text: "X" }),
    );
    expect(error).toMatchObject({ code: "not_signed", message: "The payment could not be signed: the user refused" });
    const silent = clientOf({ account: { ...account, signTypedData: () => Promise.reject() } });
    expect(await failureOf(silent.watermarkText(contract, { text: "X" }))).toMatchObject({
      code: "not_signed",
      message: "The payment could not be signed: the account gave no reason",
    });
  });
});

describe("receipts", () => {
  test("the client verifies the signed receipt against the hashes of both files", async () => {
    const { receipt } = await clientOf().watermarkText(contract, { text: "SIGNED" });
    expect(receipt).toEqual({
      network: "eip155:84532",
      payer: account.address,
      transaction: expect.stringMatching(/^0x/),
      isSigned: true,
    });
  });

  test("the client accepts an unsigned receipt from a deployment that signs no receipts", async () => {
    const unsigned = await startWorker();
    try {
      const { receipt } = await clientOf({ url: unsigned.url }).watermarkText(contract, { text: "X" });
      expect(receipt).toMatchObject({ payer: account.address, isSigned: false });
    } finally {
      await unsigned.stop();
    }
  });
});

describe("calls that fail on their way", () => {
  let chain: Chain;
  let facilitator: Awaited<ReturnType<typeof startFacilitator>>;
  let seller: StartedWorker;
  let line: Awaited<ReturnType<typeof startProxy>>;
  beforeAll(async () => {
    chain = await startChain();
    facilitator = await startFacilitator(chain);
    seller = await startWorker({ FACILITATOR_URL: facilitator.url, PAY_TO });
    line = await startProxy(seller.url);
  });
  afterAll(async () => {
    await line?.stop();
    await seller?.stop();
    await facilitator?.stop();
    await chain?.stop();
  });

  test.each([
    ["a connection that breaks", "nothing" as const],
    ["a gateway error", { status: 502, headers: {}, problem: {} }],
    [
      "settlement_pending",
      { status: 503, headers: { "Retry-After": "1" }, problem: { code: "settlement_pending", detail: "Wait." } },
    ],
  ])("the client gets the result and pays once on the chain after %s", async (_, answer) => {
    const payer = await chain.payerWith(10n * PRICE);
    line.loseNextAnswer(answer);
    const marked = await new Overprint({ url: line.url, account: payer }).watermarkText(contract, { text: "ONCE" });
    expect(await marked.bytes()).toHaveLength(marked.length);
    expect(marked.receipt).toMatchObject({ payer: payer.address, transaction: expect.stringMatching(/^0x\w{64}$/) });
    expect(await chain.balanceOf(payer.address)).toBe(9n * PRICE);
  });

  test("two calls are charged once with the same idempotency key, and twice without a key", async () => {
    const payer = await chain.payerWith(10n * PRICE);
    const client = new Overprint({ url: seller.url, account: payer });
    const first = await client.watermarkText(contract, { text: "KEY" });
    const { idempotencyKey } = first;
    const again = await client.watermarkText(contract, { text: "KEY" }, { idempotencyKey });
    expect([again.url, again.receipt, again.notices.map(({ code }) => code)]).toEqual([
      first.url,
      first.receipt,
      ["payment-not-settled"],
    ]);
    expect(again.notices[0]!.message).toContain("An earlier payment for this call was charged.");
    expect(await chain.balanceOf(payer.address)).toBe(9n * PRICE);
    await client.watermarkText(contract, { text: "KEY" });
    expect(await chain.balanceOf(payer.address)).toBe(8n * PRICE);
  });

  test("the client throws payment_refused if the account has too little money", async () => {
    const payer = privateKeyToAccount(generatePrivateKey());
    const error = await failureOf(
      new Overprint({ url: seller.url, account: payer }).watermarkText(contract, { text: "X" }),
    );
    expect(error).toMatchObject({ code: "payment_refused", status: 402, mayBePaid: false });
  });

  test("the client pays through a channel with one deposit for several calls", async () => {
    await installChannels(chain);
    const authorizer = privateKeyToAccount(generatePrivateKey());
    const official = await startOfficialSeller(facilitator.url, PAY_TO, authorizer, (url) => ({
      output: { url: `${url}/file`, expires_at: "2026-12-01T00:00:00.000Z", pages: 4, bytes: 9 },
      operation: "watermark.text",
      cost: "0.05 USDC",
    }));
    try {
      const payer = await chain.payerWith(20n * PRICE);
      const { scheme: channel } = channelClient(chain, payer);
      const client = new Overprint({ url: official.url, account: payer, channel });
      for (let call = 0; call < 3; call++) {
        const { receipt, receiptFault } = await client.watermarkText(contract, { text: "X" });
        expect([receiptFault, receipt?.transaction === ""]).toEqual([undefined, call > 0]);
      }
      expect(await chain.balanceOf(payer.address)).toBe(10n * PRICE); // minimum deposit: ten calls
    } finally {
      await official.stop();
    }
  });
});

describe("malicious and broken deployments", () => {
  const serve = playedDeployments();
  const termsWith = (change: object) => changedTerms(worker.url, change);

  test.each([
    ["more than maxPrice", { amount: "100000001" }],
    ["another token", { asset: PAY_TO }],
    ["a token allowance", { extra: { assetTransferMethod: "permit2" } }],
    ["a payment on an unknown chain", { network: "eip155:1" }],
    ["a payment that is valid too long", { maxTimeoutSeconds: 1e6 }],
    ["a negative price", { amount: "-1" }],
  ])("the client signs nothing for a deployment that asks for %s", async (_, change) => {
    const headers = await termsWith(change);
    let signed = 0;
    const signTypedData: typeof account.signTypedData = (message) => {
      signed++;
      return account.signTypedData(message);
    };
    const url = await serve((_, response) => response.writeHead(402, headers).end("{}"));
    const error = await failureOf(
      clientOf({ url, account: { ...account, signTypedData } }).watermarkText(contract, { text: "X" }),
    );
    expect([error.code, signed]).toEqual(["not_payable", 0]);
  });

  test("the client does not sign a second payment for a call whose payment is refused", async () => {
    const headers = await termsWith({});
    const payments = new Set<string>();
    const url = await serve((request, response) => {
      const payment = request.headers["payment-signature"];
      if (payment) payments.add(String(payment));
      request.resume().on("end", () => response.writeHead(402, headers).end('{"error":"refused"}'));
    });
    const error = await failureOf(clientOf({ url }).watermarkText(contract, { text: "X" }));
    expect([error.code, error.message, payments.size]).toEqual(["payment_refused", "refused", 1]);
  });

  test("the client signs a second payment after a slow upload only if the first payment has expired", async () => {
    const headers = await termsWith({ maxTimeoutSeconds: 2 });
    const seen: { validBefore: number; at: number }[] = [];
    const url = await serve((request, response) => {
      const payment = request.headers["payment-signature"];
      const { origin } = new URL(`http://${request.headers.host}`);
      if (payment) {
        const { authorization } = decodePaymentSignatureHeader(String(payment)).payload as {
          authorization: { validBefore: string };
        };
        seen.push({ validBefore: Number(authorization.validBefore), at: Date.now() / 1000 });
      }
      request.resume().on("end", () => {
        if (request.url === "/v1/uploads")
          return response.end(JSON.stringify({ handle: "upload:x", upload: { url: `${origin}/put`, headers: {} } }));
        if (request.method === "PUT") return response.end("{}");
        return response.writeHead(payment ? 409 : 402, headers).end('{"code":"payment_already_used","detail":"Stop."}');
      });
    });
    const error = await failureOf(clientOf({ url }).watermarkText(new Uint8Array(10_000_001), { text: "X" }));
    expect(error).toMatchObject({ code: "payment_already_used", uploadHandle: "upload:x" });
    expect(seen).toHaveLength(2);
    expect(seen[1]!.at).toBeGreaterThan(seen[0]!.validBefore);
  });

  test("the client does not follow a redirect with a payment", async () => {
    const url = await serve((_, response) => response.writeHead(307, { Location: worker.url }).end());
    expect(await failureOf(clientOf({ url }).watermarkText(contract, { text: "X" }))).toMatchObject({
      code: "redirected",
    });
  });

  const passedOn = (headers: Headers, names: string[]) =>
    Object.fromEntries(names.flatMap((name) => (headers.has(name) ? [[name, headers.get(name)!]] : [])));

  /** Forwards a call to the Worker, and changes a delivered file. */
  async function forward(
    request: IncomingMessage,
    response: ServerResponse,
    change = (file: Uint8Array) => file,
  ): Promise<void> {
    const { origin } = new URL(`http://${request.headers.host}`);
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk as Uint8Array);
    const asked = new Headers(request.headers as Record<string, string>);
    const headers = passedOn(asked, ["content-type", "payment-signature", "idempotency-key"]);
    const body = request.method === "POST" ? Buffer.concat(chunks) : undefined;
    const answer = await fetch(`${worker.url}${request.url}`, {
      method: request.method!,
      headers,
      ...(body && { body }),
    });
    const bytes = new Uint8Array(await answer.arrayBuffer());
    const isFile = request.url!.startsWith("/v1/files/");
    const sent = isFile ? change(bytes) : Buffer.from(Buffer.from(bytes).toString().replaceAll(worker.url, origin));
    response.writeHead(answer.status, passedOn(answer.headers, ["payment-required", "payment-response"])).end(sent);
  }

  /** Starts a deployment that forwards calls to the Worker and changes each delivered file. */
  const serveChanged = (change: (file: Uint8Array) => Uint8Array) =>
    serve((request, response) => forward(request, response, change));

  test("the client returns the paid result without the receipt if the signed receipt names another URL", async () => {
    const marked = await clientOf({ url: await serveChanged((file) => file) }).watermarkText(contract, { text: "X" });
    expect(marked).toMatchObject({ receipt: undefined, receiptFault: "the signed receipt names another URL" });
    expect(await marked.bytes()).toHaveLength(marked.length);
  });

  test.each([
    ["is cut off", (file: Uint8Array) => file.subarray(1), "bytes arrived"],
    ["is too long", (file: Uint8Array) => Buffer.concat([file, file]), "is longer than"],
  ])("a download that %s fails with the error code download_wrong", async (_, change, words) => {
    const marked = await clientOf({ url: await serveChanged(change) }).watermarkText(contract, { text: "X" });
    const expected = { code: "download_wrong", message: expect.stringContaining(words) };
    expect(await failureOf(marked.bytes())).toMatchObject(expected);
    expect(await failureOf(new Response(marked.stream()).arrayBuffer())).toMatchObject(expected);
  });

  test("a download that breaks off fails with an error that says to download again", async () => {
    const url = await serve(async (request, response) => {
      if (!request.url!.startsWith("/v1/files/")) return forward(request, response);
      response.writeHead(200, { "Content-Length": 10_000 }).write("%PDF-1.7", () => response.destroy());
    });
    const marked = await clientOf({ url }).watermarkText(contract, { text: "X" });
    const expected = {
      name: "OverprintError",
      code: "download_wrong",
      message: expect.stringMatching(/Download the file again\.$/),
    };
    expect(await failureOf(marked.bytes())).toMatchObject(expected);
    expect(await failureOf(new Response(marked.stream()).arrayBuffer())).toMatchObject(expected);
  });
});
