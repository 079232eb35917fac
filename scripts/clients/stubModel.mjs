/**
 * A model that follows a script. It stands in for a model's API: `fetch` answers each request with the next tool call of
 * the script, then with a text. No request goes to the API of a model.
 */

/** A call of a tool, as the script lists it. @typedef {{ name: string, arguments: object }} ToolCall */

/**
 * Functions that write an answer in the format of each API, by the name of the API. @type {Record<string, (call:
 * ToolCall | undefined, id: string) => object>}
 */
const ANSWERS = {
  // in the format of OpenAI's Responses API
  openai: (call, id) => ({
    id: `resp_${id}`,
    object: "response",
    created_at: 1,
    model: "gpt-5",
    status: "completed",
    output: [
      call
        ? {
            type: "function_call",
            id: `fc_${id}`,
            call_id: `call_${id}`,
            status: "completed",
            name: call.name,
            arguments: JSON.stringify(call.arguments),
          }
        : {
            type: "message",
            id: `msg_${id}`,
            role: "assistant",
            status: "completed",
            content: [{ type: "output_text", text: "Done.", annotations: [] }],
          },
    ],
    usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
  }),
  // in the format of Gemini's generateContent
  gemini: (call) => ({
    candidates: [
      {
        content: {
          role: "model",
          parts: [call ? { functionCall: { name: call.name, args: call.arguments } } : { text: "Done." }],
        },
        finishReason: "STOP",
        index: 0,
      },
    ],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
  }),
  // in the format of Anthropic's Messages API
  anthropic: (call, id) => ({
    id: `msg_${id}`,
    type: "message",
    role: "assistant",
    model: "claude",
    content: [
      call
        ? { type: "tool_use", id: `call_${id}`, name: call.name, input: call.arguments }
        : { type: "text", text: "Done." },
    ],
    stop_reason: call ? "tool_use" : "end_turn",
    usage: { input_tokens: 1, output_tokens: 1 },
  }),
};

/**
 * Returns a model's API as `fetch`, and the bodies of the requests that it received.
 * @param {"openai" | "gemini" | "anthropic"} api
 * @param {ToolCall[]} script
 */
export function stubModel(api, script = []) {
  /** @type {any[]} */
  const bodies = [];
  /** Answers a request to the model's API with the next answer. @type {typeof fetch} */
  const answer = async (input, init) => {
    const body = typeof init?.body === "string" ? init.body : await new Request(input, init).text();
    bodies.push(JSON.parse(body));
    return Response.json(ANSWERS[api]?.(script[bodies.length - 1], String(bodies.length)));
  };
  return { fetch: answer, bodies };
}
