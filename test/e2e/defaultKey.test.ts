import { createServer, request as forward, type Server } from "node:http";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { wrapFetchWithPaymentFromConfig, x402Client } from "@x402/fetch";
import type { LocalAccount } from "viem";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { samplePdf } from "../../scripts/lib/samplePdf.ts";
import { result } from "../../src/service/request/schemas.ts";
import { allCases } from "../support/allCases.ts";
import { type StartedWorker, startWorker } from "../support/worker.ts";
import { type Chain, startChain } from "./chain/anvil.ts";
import { startFacilitator } from "./chain/facilitator.ts";

/**
 * Tests official clients that send no idempotency key. A client that loses the answer to a call repeats the call with a
 * newly signed payment.
 */

vi.setConfig({ testTimeout: 120_000 });

const PAY_TO = "0x00000000000000000000000000000000c0ffee03";
const PRICE = 50_000n;
const TEXT_PATH = "/v1/watermark/text";

let chain: Chain;
let facilitator: Awaited<ReturnType<typeof startFacilitator>>;
let worker: StartedWorker;
let files: { server: Server; url: string; beforeFile(): Promise<void> };
let proxy: { server: Server; url: string; losesAnswers: boolean };
beforeAll(async () => {
  chain = await startChain();
  facilitator = await startFacilitator(chain);
  const settings = {
    FACILITATOR_URL: facilitator.url,
    PAY_TO,
    ALLOW_LOOPBACK_SOURCES: "true",
    MAX_CALLS_PER_PAYER: "40",
  };
  worker = await startWorker(settings);
  const pdf = Buffer.from(await samplePdf());
  const fileServer = createServer(async (_, response) => {
    await files.beforeFile();
    response.writeHead(200, { "Content-Type": "application/pdf", "Content-Length": pdf.length }).end(pdf);
  });
  fileServer.keepAliveTimeout = 120_000; // The server must not close a connection that the Worker is about to reuse.
  files = { server: fileServer, url: `${await listening(fileServer)}/contract.pdf`, beforeFile: async () => {} };
  const proxyServer = losingProxy();
  proxy = { server: proxyServer, url: await listening(proxyServer), losesAnswers: false };
});
afterEach(() => {
  facilitator.beforeVerify(async () => {});
  files.beforeFile = async () => {};
  proxy.losesAnswers = false;
});
afterAll(async () => {
  for (const { server } of [files, proxy]) server?.close();
  await worker?.stop();
  await facilitator?.stop();
  await chain?.stop();
});

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

/** Creates a proxy in front of the Worker. While `losesAnswers` is set, the proxy drops each answer to a sold call. */
function losingProxy(): Server {
  return createServer(async (request, response) => {
    const { method, url: path, headers } = request;
    const { hostname, port } = new URL(worker.url);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const passedOn = forward(
      { hostname, port, method, path, headers: { ...headers, "accept-encoding": "identity" } },
      async (answer) => {
        const parts: Buffer[] = [];
        for await (const part of answer) parts.push(part as Buffer);
        const body = Buffer.concat(parts);
        if (proxy.losesAnswers && body.includes('"expires_at"')) return response.destroy();
        return response.writeHead(answer.statusCode!, answer.rawHeaders).end(body);
      },
    );
    passedOn.on("error", () => response.destroy());
    passedOn.end(Buffer.concat(chunks));
  });
}

/** Makes one call and returns the link to the result. `signal` can abort the call. */
type Buy = (text: string, signal?: AbortSignal) => Promise<string>;

const overHttp = (account: LocalAccount): Buy => {
  const pay = wrapFetchWithPaymentFromConfig(fetch, {
    schemes: [{ network: "eip155:*", client: new ExactEvmScheme(account) }],
  });
  return async (text, signal) => {
    const response = await pay(proxy.url + TEXT_PATH, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ file: files.url, text }),
      ...(signal && { signal }),
    });
    expect(response.status, await response.clone().text()).toBe(200);
    return result.parse(await response.json()).output.url;
  };
};

const overMcp = (account: LocalAccount): Buy => {
  const wallet = x402Client.fromConfig({ schemes: [{ network: "eip155:*", client: new ExactEvmScheme(account) }] });
  return async (text, signal) => {
    const client = new Client({ name: "test", version: "1.0.0" });
    await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", proxy.url)));
    const call = { name: "add_text_watermark", arguments: { file: files.url, text } };
    const { structuredContent: terms } = await client.callTool(call);
    const _meta = { "x402/payment": await wallet.createPaymentPayload(terms as never) };
    const answer = await client.callTool({ ...call, _meta }, { timeout: 120_000, ...(signal && { signal }) });
    await client.close();
    expect(answer.isError, JSON.stringify(answer.content)).toBeFalsy();
    return result.parse(answer.structuredContent).output.url;
  };
};

/** Returns a function that disconnects the clients on its first call. */
function disconnecting(client: AbortController) {
  return async () => {
    if (client.signal.aborted) return;
    client.abort();
    await new Promise((resolve) => setTimeout(resolve, 100)); // Gives the Worker time to notice the disconnection.
  };
}

/** Moments at which an answer is lost. Each function prepares the loss. */
const POINTS: Record<string, (hangUp: AbortController, payer: string) => void> = {
  "while the payment is verified": (hangUp) => facilitator.beforeVerify(disconnecting(hangUp)),
  "while the file is fetched": (hangUp) => {
    files.beforeFile = disconnecting(hangUp);
  },
  "before the payment is settled": (hangUp, payer) => {
    const pause = disconnecting(hangUp);
    facilitator.interpose(payer, async (settle) => {
      await pause();
      return { status: 200, body: await settle() };
    });
  },
  "after the payment is settled": (hangUp, payer) => {
    const pause = disconnecting(hangUp);
    facilitator.interpose(payer, async (settle) => {
      const body = await settle();
      await pause();
      return { status: 200, body };
    });
  },
  "on the way from the Worker to the client": () => {
    proxy.losesAnswers = true;
  },
};

const SURFACES: [string, (account: LocalAccount) => Buy][] = [
  ["HTTP", overHttp],
  ["MCP", overMcp],
];

/** Numbers of parallel clients of one payer. All clients make the same call. */
const COUNTS = [1, 2, 20];
/** Moment at which `npm test` also loses the answers of 20 clients. `npm run check:cases` does so at every moment. */
const POINT_OF_MANY = "after the payment is settled";

const LOSSES = SURFACES.flatMap(([surface, client]) =>
  Object.keys(POINTS).flatMap((point) =>
    COUNTS.filter((count) => allCases || count < 20 || point === POINT_OF_MANY).map((count) => {
      return { surface, client, point, count };
    }),
  ),
);

test.each(LOSSES)(
  "a call over $surface is charged once if answers are lost $point, with $count parallel clients",
  { timeout: 240_000 },
  async ({ client, count, point, surface }) => {
    const funds = BigInt(2 * count + 1) * PRICE;
    const payer = await chain.payerWith(funds);
    const clients = Array.from({ length: count }, () => client(payer));
    const hangUp = new AbortController();
    POINTS[point]!(hangUp, payer.address);
    const text = `${surface} ${count} ${point}`.toUpperCase();
    const lost = await Promise.allSettled(clients.map((buy) => buy(text, hangUp.signal)));
    for (const { status } of lost) expect(status).toBe("rejected");
    proxy.losesAnswers = false;
    const links = await Promise.all(clients.map((buy) => buy(text)));
    expect(new Set([...links, await clients[0]!(text)]).size).toBe(1);
    expect((await fetch(links[0]!)).status).toBe(200);
    facilitator.interpose(payer.address, undefined);
    expect(funds - (await chain.balanceOf(payer.address))).toBe(PRICE);
  },
);
