import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { generatePrivateKey } from "viem/accounts";
import { describe, expect, test, vi } from "vitest";
import { OPEN_CHANNELS } from "../../src/payments/channels/channelObject.ts";
import { type ChannelRecord, channelNameOf } from "../../src/payments/channels/channelRecord.ts";
import { listPurchases } from "../../src/service/account/purchases.ts";
import { CHAIN, PRICE, paymentOf, TestPayer } from "../payments/channels.ts";
import { IMAGE, TEXT } from "../support/client.ts";
import { deployment } from "../support/deployment.ts";
import { decodeHeader } from "../support/x402.ts";

vi.setConfig({ testTimeout: 60_000 });

const FILE = "https://files.example.com/one-page.pdf";
type Receipt = {
  transaction: string;
  amount: string;
  extra: { chargedAmount: string; channelState: Record<string, string> };
};
type ToolResult = {
  isError?: boolean;
  structuredContent: Record<string, unknown>;
  _meta: Record<string, unknown>;
};
type Terms = { error: string; accepts: { scheme: string; extra: Record<string, unknown> }[] };

/** Returns a deployment that offers payment channels, and a payer with a channel to this deployment. */
function channelled(bindings: object = {}) {
  const seller = deployment("channels", bindings);
  const payer = new TestPayer();
  const call = async (payload: object, fields: object = {}, headers: Record<string, string> = {}, path = TEXT) => {
    const payment = btoa(JSON.stringify(paymentOf(payload)));
    const answer = await seller.call(
      {
        headers: { "Content-Type": "application/json", "PAYMENT-SIGNATURE": payment, ...headers },
        body: JSON.stringify({ file: FILE, text: "A", ...fields }),
      },
      path,
    );
    const required = answer.headers.get("PAYMENT-REQUIRED");
    const response = answer.headers.get("PAYMENT-RESPONSE");
    return {
      ...answer,
      url: answer.status === 200 ? (JSON.parse(answer.text) as { output: { url: string } }).output.url : undefined,
      terms: required === null ? undefined : (decodeHeader(required) as Terms),
      receipt: response === null ? undefined : (decodeHeader(response) as Receipt),
    };
  };
  const open = async () => {
    const opened = await call(await payer.deposit(10 * PRICE, PRICE), { text: "first" });
    expect([opened.status, opened.text]).toEqual([200, expect.any(String)]);
    return opened;
  };
  return { ...seller, payer, call, open, send: seller.call };
}

describe("payment through a channel", () => {
  test("a 402 offers payment channels after the scheme exact if a facilitator supports channels and CHANNEL_KEY is set", async () => {
    const offered = async (bindings: object, behavior = "channels") => {
      const { headers } = await deployment(behavior, bindings).call({});
      const { accepts } = decodeHeader(headers.get("PAYMENT-REQUIRED")!) as Terms;
      return accepts.map(({ scheme }) => scheme);
    };
    expect(await offered({})).toEqual(["exact", "batch-settlement"]);
    expect(await offered({ CHANNEL_KEY: "" })).toEqual(["exact"]);
    expect(await offered({}, "good")).toEqual(["exact"]);
  });

  test("the OpenAPI document lists the payment-channel scheme only if a 402 offers channels", async () => {
    const protocols = async (bindings: object) => {
      const { text } = await deployment("channels", bindings).call({ method: "GET" }, "/openapi.json");
      return JSON.parse(text).paths[TEXT].post["x-payment-info"].protocols as object[];
    };
    expect(await protocols({})).toContainEqual({ x402: { schemes: ["exact", "batch-settlement"] } });
    expect(await protocols({ CHANNEL_KEY: "" })).toContainEqual({ x402: {} });
  });

  test("a 402 contains the withdrawal delay and minimum deposit of payment channels from the settings", async () => {
    const bindings = { CHANNEL_WITHDRAW_DELAY_SECONDS: "172800", CHANNEL_MIN_DEPOSIT_CALLS: "20" };
    const { headers } = await deployment("channels", bindings).call({});
    const { accepts } = decodeHeader(headers.get("PAYMENT-REQUIRED")!) as Terms;
    expect(accepts[1]!.extra).toMatchObject({ withdrawDelay: 172_800, minDeposit: "1000000" });
  });

  test("a channel pays for its first call with a deposit, and for later calls without the facilitator", async () => {
    const { open, call, payer, verified } = channelled();
    const opened = await open();
    expect(opened.receipt).toMatchObject({
      transaction: "0x-deposit",
      amount: "500000",
      extra: { chargedAmount: "50000", channelState: { balance: "500000", chargedCumulativeAmount: "50000" } },
    });
    const asked = await verified();
    const sold = await call(await payer.voucher(2 * PRICE));
    expect(sold.receipt).toMatchObject({
      transaction: "",
      amount: "",
      extra: { chargedAmount: "50000", channelState: { chargedCumulativeAmount: "100000" } },
    });
    expect(sold.url).not.toBe(opened.url);
    expect(await verified()).toBe(asked);
  });

  test("a failed call through a channel costs nothing, and its voucher can pay for the next call", async () => {
    const { open, call, payer } = channelled();
    await open();
    const voucher = await payer.voucher(2 * PRICE);
    expect((await call(voucher, { opacity: 7 })).status).toBe(400);
    expect((await call(voucher, { file: "https://files.example.com/page.html" })).status).toBe(422);
    expect((await call(voucher)).receipt?.extra.channelState.chargedCumulativeAmount).toBe("100000");
  });

  test("a repeated voucher gets the first result for the same call, or the channel's state for another call", async () => {
    const { open, call, payer } = channelled();
    await open();
    const voucher = await payer.voucher(2 * PRICE);
    const sold = await call(voucher);
    const again = await call(voucher);
    expect([again.url, again.receipt]).toEqual([sold.url, sold.receipt]);

    const other = await call(voucher, { text: "other" });
    expect(other.status).toBe(402);
    expect(other.terms).toMatchObject({
      error: "invalid_batch_settlement_evm_cumulative_amount_mismatch",
      accepts: [
        { scheme: "exact" },
        {
          scheme: "batch-settlement",
          extra: {
            channelState: { chargedCumulativeAmount: "100000", balance: "500000" },
            voucherState: { signedMaxClaimable: "100000", signature: voucher.voucher.signature },
          },
        },
      ],
    });
    // The service now rejects the voucher. The 402 disclosed the voucher to a caller who may not be the payer, so the
    // voucher no longer proves who the payer is.
    expect((await call(voucher)).status).toBe(402);
  });

  test("an idempotency key repeated on a channel returns the first result, or an error for a different request", async () => {
    const { open, call, payer } = channelled();
    await open();
    const key = { "Idempotency-Key": generatePrivateKey() };
    const sold = await call(await payer.voucher(2 * PRICE), {}, key);
    const again = await call(await payer.voucher(3 * PRICE), {}, key);
    expect(again.url).toBe(sold.url);
    expect(again.receipt?.extra).toMatchObject({
      chargedAmount: "0",
      channelState: { chargedCumulativeAmount: "100000" },
    });
    expect(again.headers.get("Overprint-Notice")).toContain("payment-not-settled");
    const other = await call(await payer.voucher(3 * PRICE), { text: "other" }, key);
    expect(JSON.parse(other.text)).toMatchObject({ code: "idempotency_key_reused" });
  });

  test("a channel is charged only once if calls have the same content", async () => {
    const { open, call, payer } = channelled({ DEFAULT_KEY: "true" });
    await open();
    const sold = await call(await payer.voucher(2 * PRICE));
    const again = await call(await payer.voucher(3 * PRICE));
    expect([again.url, again.receipt?.extra.chargedAmount]).toEqual([sold.url, "0"]);
    expect((await call(await payer.voucher(3 * PRICE), { text: "other" })).receipt?.extra.chargedAmount).toBe("50000");
  });

  test("a payment channel pays for an MCP tool call, and too small a voucher gets the channel's state", async () => {
    const { open, payer, send } = channelled();
    await open();
    const tool = async (payload: object) => {
      const name = "add_text_watermark";
      const params = {
        name,
        arguments: { file: FILE, text: "over MCP" },
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": {},
          "x402/payment": paymentOf(payload),
        },
      };
      const headers = {
        Accept: "application/json, text/event-stream",
        "Content-Type": "application/json",
        ...{ "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": name },
      };
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
      const { text } = await send({ headers, body }, "/mcp");
      return (JSON.parse(/^data: (.*)$/m.exec(text)![1]!) as { result: ToolResult }).result;
    };
    const sold = await tool(await payer.voucher(2 * PRICE));
    expect(sold.structuredContent).toMatchObject({ output: { pages: 1 } });
    expect(sold._meta["x402/payment-response"]).toMatchObject({
      success: true,
      extra: { chargedAmount: "50000", channelState: { chargedCumulativeAmount: "100000" } },
    });
    const wrong = await tool(await payer.voucher(9 * PRICE));
    expect(wrong).toMatchObject({
      isError: true,
      structuredContent: {
        error: "invalid_batch_settlement_evm_cumulative_amount_mismatch",
        accepts: expect.arrayContaining([
          expect.objectContaining({
            scheme: "batch-settlement",
            extra: expect.objectContaining({ voucherState: expect.objectContaining({ signedMaxClaimable: "100000" }) }),
          }),
        ]),
      },
    });
  });

  test("the list of a payer's purchases includes the calls paid through channels", async () => {
    const { open, call, payer } = channelled();
    const opened = await open();
    const sold = await call(await payer.voucher(2 * PRICE));
    const object = env.LEDGER.getByName(channelNameOf(CHAIN.caip2, payer.channelId));
    await runInDurableObject(object, (_, { storage }) => {
      const record = storage.kv.get<ChannelRecord>("channel")!;
      storage.kv.put("channel", { ...record, unbooked: { attempts: 0, nextAt: 0 } });
    });
    await runDurableObjectAlarm(object);
    const { purchases } = await listPurchases(env, { address: payer.account.address, onlyOn: undefined }, undefined);
    expect(purchases.map(({ url }) => url)).toEqual([sold.url, opened.url]);
    expect(purchases.map(({ transaction, network }) => [transaction, network])).toEqual([
      ["", CHAIN.caip2],
      ["0x-deposit", CHAIN.caip2],
    ]);
  });

  test("only one of two parallel calls with the same voucher is sold, and the other call can then be paid with the next voucher", async () => {
    const { open, call, payer } = channelled();
    await open();
    const voucher = await payer.voucher(2 * PRICE);
    const [one, other] = await Promise.all([call(voucher, { text: "one" }), call(voucher, { text: "other" })]);
    expect([one.status, other.status].toSorted()).toEqual([200, 402]);
    const late = one.status === 402 ? "one" : "other";
    expect((await call(await payer.voucher(3 * PRICE), { text: late })).status).toBe(200);
  });

  test("the service rejects a channel payment with a foreign signature, an unknown channel or wrong terms", async () => {
    const { call, payer } = channelled();
    const other = new TestPayer();
    const voucher = await payer.voucher(PRICE);
    const forged = { ...voucher, voucher: { ...voucher.voucher, ...(await other.voucher(PRICE)).voucher } };
    expect((await call(forged)).terms?.error).toContain("channel_id_mismatch");
    expect((await call(voucher)).terms?.error).toContain("channel_not_found");
    expect((await call(await payer.deposit(PRICE, PRICE))).terms?.error).toContain("deposit at least 500000");
    expect((await call(await payer.refund(PRICE))).terms?.error).toContain("GET /v1/channel");
  });

  test("a channel cannot pay for new calls while SELLING is false, but its paid results can still be fetched", async () => {
    const { open, call, payer, FACILITATOR_URL } = channelled();
    await open();
    const voucher = await payer.voucher(2 * PRICE);
    const sold = await call(voucher);
    const { call: closed } = deployment("channels", { FACILITATOR_URL, SELLING: "false" });
    const send = async (payload: object) =>
      closed({
        headers: { "Content-Type": "application/json", "PAYMENT-SIGNATURE": btoa(JSON.stringify(paymentOf(payload))) },
        body: JSON.stringify({ file: FILE, text: "A" }),
      });
    expect(JSON.parse((await send(voucher)).text)).toMatchObject({ output: { url: sold.url } });
    expect(JSON.parse((await send(await payer.voucher(3 * PRICE))).text)).toMatchObject({ code: "not_selling" });
    expect((await call(await payer.voucher(3 * PRICE), {}, {}, TEXT)).status).toBe(200);
  });

  test("one channel pays for all products", async () => {
    const { open, call, payer } = channelled();
    await open();
    const image = { image: "https://files.example.com/red.png", text: undefined };
    expect((await call(await payer.voucher(2 * PRICE), image, {}, IMAGE)).status).toBe(200);
  });
});

describe("the operator's view of channels", () => {
  const OPERATOR_TOKEN = "t".repeat(32);
  const asOperator = async (bindings: object, path: string) => {
    const headers = { Authorization: `Bearer ${OPERATOR_TOKEN}` };
    const { text } = await deployment("channels", { ...bindings, OPERATOR_TOKEN }).call(
      { method: "GET", headers },
      path,
    );
    return JSON.parse(text) as Record<string, Record<string, unknown>[] & string[]>;
  };
  const objectOf = (channelId: string) => env.LEDGER.getByName(channelNameOf(CHAIN.caip2, channelId));

  test("the operator can list channels with unclaimed sales, and the sales, claims and transfers of each channel", async () => {
    const { open, call, payer, FACILITATOR_URL } = channelled();
    await open();
    await call(await payer.voucher(2 * PRICE));
    const object = objectOf(payer.channelId);
    const runAlarm = async (change: Partial<ChannelRecord>) => {
      await runInDurableObject(object, (_, { storage }) => {
        storage.kv.put("channel", { ...storage.kv.get<ChannelRecord>("channel"), ...change });
        return storage.setAlarm(Date.now() + 60_000);
      });
      await runDurableObjectAlarm(object);
    };
    const due = { attempts: 0, nextAt: 0 };
    await runAlarm({ unbooked: due, uncopied: due });
    const find = async () => {
      const { channels } = await asOperator({ FACILITATOR_URL }, "/v1/operator/channels");
      return channels!.find(({ channel }) => channel === payer.channelId);
    };
    expect(await find()).toMatchObject({
      ...{ chain: "eip155:84532", payer: payer.account.address, decimals: 6, deadline: null },
      ...{ sold: "100000", claimed: "0", balance: "500000" },
      claims: [{ voucher: { maxClaimableAmount: "100000" }, totalClaimed: "100000" }],
    });
    const copy = await env.RESULTS.get(`channels/eip155/84532/${payer.channelId}`);
    expect(await copy?.json()).toMatchObject({ signedMax: "100000", charged: "100000" });

    await runAlarm({ unclaimedSince: Date.now() - 3_600_000 });
    expect(await find()).toBe(undefined);
    const day = new Date().toISOString().slice(0, 10);
    const { sales } = await asOperator({ FACILITATOR_URL }, `/v1/operator/sales?day=${day}`);
    const own = sales!.filter(({ channel }) => channel === payer.channelId);
    expect(own.map(({ entry, amount }) => [entry, amount]).toSorted()).toEqual([
      ["claim", "100000"],
      ["sale", "50000"],
      ["sale", "50000"],
      ["transfer", "100000"],
    ]);
  });

  test("the health check warns of late channel claims and of approaching claim deadlines", async () => {
    const name = "channel:eip155:84532:of-a-test";
    const list = env.LEDGER.getByName(OPEN_CHANNELS);
    const problems = async (entry: object) => {
      await list.listOpen(name, JSON.stringify(entry));
      return (await asOperator({}, "/healthz")).problems!.join();
    };
    expect(await problems({ unclaimedSince: Date.now() })).not.toContain("channels");
    const deadline = Date.parse("2026-12-01T00:00:00Z");
    expect(await problems({ unclaimedSince: Date.now(), deadline })).toContain(
      "on the chain by 2026-12-01T00:00:00.000Z",
    );
    expect(await problems({ unclaimedSince: Date.now() - 7 * 3_600_000 })).toContain("not claimed after six hours");
    await list.listOpen(name, undefined);
  });
});

describe("refund of a channel", () => {
  const refund = async (seller: ReturnType<typeof channelled>, payload?: object) => {
    const headers = payload && { "PAYMENT-SIGNATURE": btoa(JSON.stringify(paymentOf(payload))) };
    return seller.send({ method: "GET", ...(headers && { headers }) }, "/v1/channel");
  };

  test("a refund request without a payment gets a 402 with the terms of channels", async () => {
    const { status, headers } = await refund(channelled());
    expect(status).toBe(402);
    expect(decodeHeader(headers.get("PAYMENT-REQUIRED")!)).toMatchObject({
      error: expect.stringMatching(/PAYMENT-SIGNATURE is required.*`refund`/),
      accepts: [{ scheme: "batch-settlement" }],
    });
  });

  test("a refund returns the channel's balance, and another deposit reopens the channel", async () => {
    const seller = channelled();
    await seller.open();
    const { status, headers } = await refund(seller, await seller.payer.refund(PRICE));
    expect(status).toBe(200);
    expect(decodeHeader(headers.get("PAYMENT-RESPONSE")!)).toMatchObject({
      success: true,
      transaction: "0x-refund",
      amount: "450000",
      extra: { channelState: { balance: "50000", totalClaimed: "50000", chargedCumulativeAmount: "50000" } },
    });
    // The error `cumulative_amount_mismatch` makes a client that does not know of the refund read the balance again.
    for (const reason of ["cumulative_amount_mismatch", "cumulative_exceeds_balance"])
      expect((await seller.call(await seller.payer.voucher(2 * PRICE))).terms?.error).toContain(reason);
    expect((await seller.call(await seller.payer.deposit(10 * PRICE, 2 * PRICE))).status).toBe(200);
  });

  test("an outdated voucher in a refund request gets a correction, and a payload that is not a refund gets an error", async () => {
    const seller = channelled();
    await seller.open();
    const error = async (payload: object) => {
      const { headers } = await refund(seller, payload);
      return (decodeHeader(headers.get("PAYMENT-REQUIRED")!) as Terms).error;
    };
    expect(await error(await seller.payer.refund(3 * PRICE))).toContain("cumulative_amount_mismatch");
    expect(await error(await seller.payer.voucher(PRICE))).toContain("payload_type");
  });

  test("a deployment without channels answers 404 to a refund request", async () => {
    const { status } = await deployment("good").call({ method: "GET" }, "/v1/channel");
    expect(status).toBe(404);
  });
});
