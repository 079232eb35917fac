/**
 * The tool that both agents use. It buys a mark for the file that the command line names, and writes the result. The
 * model chooses only the text and its template, so it cannot read other files. `maxPrice` limits each call, and
 * `MAX_CALLS` limits the number of calls.
 */
import { readFile, writeFile } from "node:fs/promises";
import { privateKeyToAccount } from "viem/accounts";
import * as z from "zod";
// The package `@overprint/client` is not published yet. `npm run build:packages -- client` builds this file.
import { Overprint, OverprintError } from "../../packages/client/dist/index.js";

const [file = "examples/contract.pdf", output = "marked.pdf", text = "DRAFT"] = process.argv.slice(2);
const {
  SERVICE = "http://127.0.0.1:8787",
  PRIVATE_KEY = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80", // only a service on your machine accepts it
} = process.env;

const MAX_CALLS = 3;
const overprint = new Overprint({ url: SERVICE, account: privateKeyToAccount(PRIVATE_KEY), maxPrice: "0.05" });
let calls = 0;

/** The task of the agent. */
export const PROMPT = `Put the words "${text}" on every page of my PDF, as a stamp.`;

/** A call that a model makes for this task. The scripted models of the examples make this call. */
export const SCRIPTED_CALL = { text, template: "stamp" };

export const NAME = "watermark_pdf";
export const DESCRIPTION = "Puts a text on every page of the user's PDF. Each call costs 0.05 USDC.";
export const inputSchema = z.object({
  text: z.string().describe("The words to put on every page."),
  template: z.enum(["diagonal", "horizontal", "stamp", "footer"]).describe("The appearance of the text."),
});

/** Buys the mark, and describes the outcome to the model. */
export async function buyMark({ text, template }) {
  if (++calls > MAX_CALLS) return `Refused: at most ${MAX_CALLS} calls are allowed.`;
  try {
    const marked = await overprint.watermarkText(await readFile(file), { text, template });
    await writeFile(output, await marked.bytes());
    const notices = marked.notices.map(({ message }) => message).join(" ");
    return `${output}: ${marked.pages} pages marked for ${marked.cost}. ${notices}`.trim();
  } catch (error) {
    if (error instanceof OverprintError) return `Failed (${error.code}): ${error.message}`;
    throw error;
  }
}
