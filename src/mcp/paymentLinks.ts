import {
  type CallToolResult,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import { fieldMessage } from "../service/request/fieldMessages.ts";
import { invalidRequest } from "../service/request/invalidRequest.ts";
import type { Exchange } from "../service/sale/callContext.ts";
import { quoteOffer, quoteRequest, quoteResult } from "../service/sale/quoteSchemas.ts";
import { claimQuote, openQuote, quoteOf } from "../service/sale/quotes.ts";
import { once } from "../shared/once.ts";
import { failed } from "./call.ts";
import { opensPages } from "./payment.ts";
import { argumentsOf, resultOf } from "./toolSchemas.ts";
import { advertised } from "./tools.ts";

/** Name of the free tool that returns a page where a person pays for a call. */
export const REQUEST_PAYMENT_LINK = "request_payment_link";
/** Name of the free tool that returns the result of a call that a person has paid for. */
export const GET_RESULT = "get_result";

type Offered = z.output<ReturnType<typeof quoteOffer>>;
type Request = ServerContext["mcpReq"];

/** Name of the input request with which {@link askingUser} asks the user to open the payment page. */
const PAYMENT = "payment";

const claimed = once(() => z.strictObject({ claim: z.string().describe("From request_payment_link.") }));

// `arguments` is a string, because the strict modes of model APIs accept no object whose fields the schema does not
// list.
const asked = once(() =>
  quoteRequest().extend({ arguments: z.string().describe("Its arguments, as JSON. Files as URLs or upload handles.") }),
);

const link = {
  title: "Request a payment link",
  description: "Use this if you cannot pay: returns a page where a person pays for the call. Free.",
  inputSchema: advertised(argumentsOf(asked())),
  outputSchema: advertised(resultOf(quoteOffer())),
  annotations: { destructiveHint: false, openWorldHint: false },
};

const result = {
  title: "Get the result of a payment link",
  description: "Use this after the person has paid. Free.",
  inputSchema: advertised(argumentsOf(claimed())),
  outputSchema: advertised(resultOf(quoteResult())),
  annotations: { readOnlyHint: true, openWorldHint: false },
};

/** Registers the tools {@link REQUEST_PAYMENT_LINK} and {@link GET_RESULT}. */
export function addPaymentLinks(server: McpServer, exchange: Exchange): void {
  server.registerTool(REQUEST_PAYMENT_LINK, link, (fields, { mcpReq }) =>
    orFailed(mcpReq, async () => {
      const claim = mcpReq.requestState<string>();
      if (claim !== undefined) return afterAsking(await quoteOf(claim, exchange), mcpReq);
      const offered = await openQuote(fields, exchange);
      return opensPages(mcpReq)
        ? askingUser(offered)
        : told(offered, `Ask the user to open ${offered.url} by ${offered.expires_at} and to pay ${offered.cost}.`);
    }),
  );
  server.registerTool(GET_RESULT, result, (fields, { mcpReq }) =>
    orFailed(mcpReq, async () => {
      const { success, data, error } = claimed().safeParse(fields, { error: fieldMessage });
      if (!success) throw invalidRequest(error.issues, { here: ["claim"], elsewhere: () => undefined });
      return stateOf(await claimQuote(data.claim, exchange));
    }),
  );

  function orFailed<T extends CallToolResult | InputRequiredResult>(mcpReq: Request, tool: () => Promise<T>) {
    return tool().catch((error: unknown) => failed(error, exchange, mcpReq, ({ reason }) => reason));
  }
}

/**
 * Returns a result that makes the client ask its user to open the payment page. The client then repeats the call with
 * the claim, a secret that gives access to the result.
 */
function askingUser({ url, claim, cost }: Offered): InputRequiredResult {
  const message = `Pay ${cost} for the watermarked PDF`;
  return inputRequired({
    inputRequests: { [PAYMENT]: inputRequired.elicitUrl({ url, message }) },
    requestState: claim,
  });
}

/** Returns the result of the repeated call, after the client has asked its user to open the payment page. */
function afterAsking(offered: Offered, { inputResponses }: Request): CallToolResult {
  const { url, cost, expires_at } = offered;
  const answer = inputResponse(inputResponses, PAYMENT);
  return answer.kind === "elicit" && answer.action === "accept"
    ? told(offered, `The user has opened ${url} to pay ${cost}.`)
    : told(
        offered,
        `The user has not opened the page. The page accepts the payment of ${cost} until ${expires_at}: ${url}`,
      );
}

function told(offered: Offered, sentence: string): CallToolResult {
  const text = `${sentence} After the payment, call ${GET_RESULT} with the claim. Do not show the claim to anybody.`;
  return { content: [{ type: "text", text }], structuredContent: offered };
}

const STATES = {
  open: `The link is not paid yet. Call ${GET_RESULT} again once the user has paid.`,
  paying: `The payment is under way. Call ${GET_RESULT} again in a minute.`,
  withdrawn: "The link was withdrawn. Ask for a new one.",
};

function stateOf({ status, result }: z.output<ReturnType<typeof quoteResult>>): CallToolResult {
  const structuredContent = { status, ...(result && { result }) };
  if (status !== "sold" || !result) {
    const text = STATES[status as keyof typeof STATES];
    return { content: [{ type: "text", text }], structuredContent };
  }
  const { url, expires_at } = result.output;
  return {
    content: [{ type: "text", text: `Paid and marked. Download the PDF until ${expires_at}: ${url}` }],
    structuredContent,
  };
}
