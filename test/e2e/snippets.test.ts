/** Runs the website's snippets as a user who has copied them. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Offer, signPaymentV2 } from "../../scripts/lib/pay.ts";
import { samplePdf } from "../../scripts/lib/samplePdf.ts";
import { DEVELOPMENT_KEY } from "../../src/payments/facilitators/localFacilitator.ts";
import { imageRequest, result, textRequest } from "../../src/service/request/schemas.ts";
import { CLIENTS, type ShownCall } from "../../src/site/snippets.ts";
import { MAGENTA } from "../support/stamp.ts";
import { type StartedWorker, startWorker } from "../support/worker.ts";
import { render } from "./render.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");

const CALLS: Record<string, Omit<ShownCall, "origin">> = {
  text: {
    path: "/v1/watermark/text",
    tool: "add_text_watermark",
    file: `it's "mine"; really.pdf`,
    fields: { text: 'it\'s\n"ours" \\ `$HOME` \u{20AC}', template: "stamp", opacity: 0.5, color: "#cc0068" },
  },
  image: {
    path: "/v1/watermark/image",
    tool: "add_image_watermark",
    file: "contract.pdf",
    image: "logo.png",
    fields: { position: "top-left", scale: 0.2 },
  },
};

let worker: StartedWorker;
beforeAll(async () => {
  worker = await startWorker();
});
afterAll(() => worker?.stop());

describe.each(Object.entries(CALLS))("snippets for a mark of kind %s", (kind, call) => {
  let cwd: string;
  beforeAll(async () => {
    await mkdir(join(root, "out"), { recursive: true });
    // The folder is inside the repository, where Node.js finds the clients' packages.
    cwd = await mkdtemp(join(root, "out/snippets-"));
    await writeFile(join(cwd, call.file), await samplePdf());
    await writeFile(join(cwd, "logo.png"), MAGENTA);
  });
  afterAll(() => rm(cwd, { recursive: true, force: true }));

  const snippet = (client: string) => CLIENTS.find(({ id }) => id === client)!.write({ ...call, origin: worker.url });

  async function expectMarked(url: string): Promise<void> {
    expect(await render(new Uint8Array(await (await fetch(url)).arrayBuffer()))).toHaveLength(4);
  }

  test("the curl snippet buys a mark", async () => {
    const offered = await fetch(worker.url + call.path, { method: "POST" });
    const { accepts } = (await offered.json()) as { accepts: Offer[] };
    const env = { ...process.env, PAYMENT: await signPaymentV2(accepts[0]!) };
    const { stdout } = await run("sh", ["-c", snippet("curl")], { cwd, env });
    await expectMarked(result.parse(JSON.parse(stdout)).output.url);
  });

  test("the TypeScript snippet buys a mark", async () => {
    await writeFile(join(cwd, "call.ts"), snippet("typescript"));
    const env = { ...process.env, PRIVATE_KEY: DEVELOPMENT_KEY };
    const { stdout } = await run(process.execPath, ["call.ts"], { cwd, env });
    await expectMarked(stdout.trim());
  });

  test("the Python snippet is valid Python and contains the fields unchanged", async () => {
    const program = `import ast, json, sys
call = next(node for node in ast.walk(ast.parse(sys.argv[1]))
            if isinstance(node, ast.Call) and any(word.arg == "data" for word in node.keywords))
print(json.dumps(ast.literal_eval(next(word.value for word in call.keywords if word.arg == "data"))))`;
    const { stdout } = await run("python3", ["-c", program, snippet("python")]);
    expect(JSON.parse(stdout)).toEqual(
      Object.fromEntries(Object.entries(call.fields).map(([name, value]) => [name, String(value)])),
    );
  });

  test("the MCP snippet has arguments that the tool accepts", () => {
    const params = JSON.parse(snippet("mcp").split("params of tools/call\n")[1]!);
    expect(params.name).toBe(call.tool);
    expect((kind === "text" ? textRequest : imageRequest)().parse(params.arguments)).toMatchObject(call.fields);
  });
});
