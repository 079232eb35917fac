/**
 * An agent of the AI SDK that buys a mark:
 *
 *   npm run build:packages -- client
 *   npm ci --prefix examples/agents
 *   node examples/agents/aiSdk.mjs examples/contract.pdf marked.pdf DRAFT
 */
import { generateText, isStepCount, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { buyMark, DESCRIPTION, inputSchema, NAME, PROMPT, SCRIPTED_CALL } from "./buyMark.mjs";

const usage = { inputTokens: { total: 0 }, outputTokens: { total: 0 } };

/**
 * A model that follows a script, so that the example runs without a provider. In your program, use a model of a
 * provider.
 */
const model = new MockLanguageModelV4({
  doGenerate: [
    {
      content: [{ type: "tool-call", toolCallId: "1", toolName: NAME, input: JSON.stringify(SCRIPTED_CALL) }],
      ...{ finishReason: { unified: "tool-calls" }, usage, warnings: [] },
    },
    { content: [{ type: "text", text: "Done." }], finishReason: { unified: "stop" }, usage, warnings: [] },
  ],
});

const { steps, text } = await generateText({
  model,
  tools: { [NAME]: tool({ description: DESCRIPTION, inputSchema, execute: buyMark }) },
  prompt: PROMPT,
  stopWhen: isStepCount(5),
});
for (const { output } of steps.flatMap(({ toolResults }) => toolResults)) console.log(output);
console.log(text);
