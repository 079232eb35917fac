import { afterEach, describe, expect, test } from "vitest";
import { signPayment } from "../../scripts/lib/pay.ts";
import { offerOf, send } from "../support/client.ts";
import { connect, REVISIONS } from "../support/mcp.ts";
import { onePage } from "../support/pdf.ts";
import { emptyBucket } from "../support/storage.ts";

afterEach(emptyBucket);

const fields = { file: "https://example.com/contract.pdf", text: "A" };

describe.each(Object.keys(REVISIONS) as (keyof typeof REVISIONS)[])("payment links, protocol %s", (revision) => {
  test("an agent without a payment gets a payment link, whose claim returns the result after a person has paid", async () => {
    const client = await connect(revision);
    await client.listTools(); // The client validates results only against the schemas of tools that it has listed.
    const upload = await client.callTool({ name: "request_upload", arguments: { name: "a.pdf" } });
    const { handle, upload: target } = upload.structuredContent as {
      handle: string;
      upload: { url: string; headers: Record<string, string> };
    };
    await send(target.url, { method: "PUT", body: onePage, headers: target.headers });
    const call = { name: "add_text_watermark", arguments: { file: handle, text: "A" } };
    const unpaid = await client.callTool(call);
    expect(unpaid.content[1]).toMatchObject({ text: expect.stringContaining("request_payment_link") });

    const asked = await client.callTool({
      name: "request_payment_link",
      arguments: { tool: call.name, arguments: JSON.stringify(call.arguments) },
    });
    const { url, claim } = asked.structuredContent as { url: string; claim: string };
    expect(asked.content).toEqual([
      { type: "text", text: expect.stringMatching(/open http.*\/pay\/.* pay 0\.05 USDC/) },
    ]);
    expect(JSON.stringify(asked.content)).not.toContain(claim);

    const result = () => client.callTool({ name: "get_result", arguments: { claim } });
    expect((await result()).structuredContent).toEqual({ status: "open" });
    const path = `/v1/quotes/${new URL(url).pathname.split("/").at(-1)}/pay`;
    const headers = { "X-PAYMENT": await signPayment(await offerOf(path)) };
    const bought = await (await send(path, { method: "POST", headers })).json<{ output: { url: string } }>();
    const got = await result();
    expect(got.structuredContent).toEqual({ status: "sold", result: bought });
    expect(got.content).toEqual([{ type: "text", text: expect.stringContaining(bought.output.url) }]);
  });
});

test.each([
  ["request_payment_link", { tool: "add_text_watermark" }, "arguments"],
  ["request_payment_link", { tool: "add_text_watermark", arguments: { ...fields, opacity: 3 } }, "opacity"],
  ["request_payment_link", { tool: "add_text_watermark", arguments: "{" }, "arguments"],
  ["get_result", {}, "claim"],
  ["get_result", { claim: 7 }, "claim"],
])("the tool %s reports invalid arguments: %j", async (name, wrong, path) => {
  const client = await connect();
  const { isError, content } = await client.callTool({ name, arguments: wrong });
  const { code, errors } = JSON.parse((content[0] as { text: string }).text) as {
    code: string;
    errors: { path: string }[];
  };
  expect([isError, code, errors.map((error) => error.path)]).toEqual([true, "invalid_request", [path]]);
});

test("get_result reports an unknown claim", async () => {
  const client = await connect();
  const { isError, content } = await client.callTool({ name: "get_result", arguments: { claim: "claim:1" } });
  expect([isError, content]).toEqual([true, [{ type: "text", text: expect.stringContaining("quote_not_found") }]]);
});

describe("a client that opens pages for its user", () => {
  const ask = async (action: "accept" | "decline" | "cancel", revision?: "2025-11-25") => {
    const client = await connect(revision, {}, { elicitation: { url: {} } });
    const shown: unknown[] = [];
    client.setRequestHandler("elicitation/create", ({ params }) => {
      shown.push(params);
      return { action };
    });
    const call = { tool: "add_text_watermark", arguments: JSON.stringify(fields) };
    const { structuredContent, content } = await client.callTool({ name: "request_payment_link", arguments: call });
    const offered = structuredContent as { url: string; claim: string };
    const state = await client.callTool({ name: "get_result", arguments: { claim: offered.claim } });
    expect(state.structuredContent).toEqual({ status: "open" });
    return { offered, shown, text: (content[0] as { text: string }).text };
  };

  test.each([
    ["accept", "has opened"],
    ["decline", "has not opened"],
    ["cancel", "has not opened"],
  ] as const)(
    "request_payment_link asks a client with URL elicitation once to open the payment page, and returns the claim after the answer %j",
    async (action, words) => {
      const { offered, shown, text } = await ask(action);
      expect(shown).toEqual([{ mode: "url", url: offered.url, message: "Pay 0.05 USDC for the watermarked PDF" }]);
      expect(text).toContain(words);
      expect(text).not.toContain(offered.claim);
    },
  );

  test("a client gets the payment link as text if its calls do not state its capabilities", async () => {
    const { shown, text } = await ask("accept", "2025-11-25");
    expect([shown, text]).toEqual([[], expect.stringContaining("Ask the user to open")]);
  });

  test("request_payment_link returns quote_not_found if a repeated call's requestState is an unknown claim", async () => {
    const client = await connect("2026-07-28", {}, { elicitation: { url: {} } });
    const result = await client.callTool({
      name: "request_payment_link",
      arguments: { tool: "add_text_watermark", arguments: JSON.stringify(fields) },
      ...{ requestState: "claim:1", inputResponses: {} },
    });
    expect([result.isError, result.content]).toEqual([
      true,
      [{ type: "text", text: expect.stringContaining("quote_not_found") }],
    ]);
  });
});
