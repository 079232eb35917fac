/**
 * An agent of LangChain that buys a mark:
 *
 *   npm run build:packages -- client
 *   npm ci --prefix examples/agents
 *   node examples/agents/langChain.mjs examples/contract.pdf marked.pdf DRAFT
 */
import { AIMessage } from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";
import { createAgent, tool } from "langchain";
import { buyMark, DESCRIPTION, inputSchema, NAME, PROMPT, SCRIPTED_CALL } from "./buyMark.mjs";

/**
 * A model that follows a script, so that the example runs without a provider. In your program, use a model of a
 * provider.
 */
const model = fakeModel()
  .respondWithTools([{ name: NAME, args: SCRIPTED_CALL, id: "1" }])
  .respond(new AIMessage("Done."));

const agent = createAgent({
  model,
  tools: [tool(buyMark, { name: NAME, description: DESCRIPTION, schema: inputSchema })],
});
const { messages } = await agent.invoke({ messages: [{ role: "user", content: PROMPT }] });
for (const { content } of messages.slice(2)) console.log(content);
