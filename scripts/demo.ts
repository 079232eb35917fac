/**
 * Runs a paid call locally: starts the Worker, watermarks a PDF, pays for it with the development key, and writes the
 * result to ./out/.
 *
 *   npm run demo                                            a sample contract, marked CONFIDENTIAL
 *   npm run demo -- contract.pdf --text DRAFT --position top-right --opacity 0.5
 *   npm run demo -- contract.pdf --image logo.png --scale 0.2
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, extname, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { imageRequest, textRequest } from "../src/service/schemas.ts";
import { callPaid } from "./lib/pay.ts";
import { startWorker } from "./lib/worker.ts";

const { file: _, image: __, ...shape } = { ...textRequest.shape, ...imageRequest.shape };
const FIELDS = Object.keys(shape);

/** Reads the arguments, and the files that they name. */
async function request() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: Object.fromEntries([...FIELDS, "image"].map((field) => [field, { type: "string" as const }])),
  });
  const fields = values as Record<string, string | undefined>;
  const [path = "examples/contract.pdf"] = positionals;

  const form = new FormData();
  form.set("file", new File([new Uint8Array(await readFile(path))], basename(path), { type: "application/pdf" }));
  for (const field of FIELDS) if (fields[field] !== undefined) form.set(field, fields[field]);
  if (fields.image) form.set("image", new File([new Uint8Array(await readFile(fields.image))], basename(fields.image)));
  else if (!fields.text) form.set("text", "CONFIDENTIAL");
  return { form, path, fields };
}

const { form, path, fields } = await request().catch((error: Error) => {
  console.error(
    `${error.message}\nusage: npm run demo -- [FILE] ${["image", ...FIELDS].map((name) => `[--${name} …]`).join(" ")}`,
  );
  process.exit(2);
});

console.log("Starting the Worker on this machine …");
const worker = await startWorker();
try {
  const endpoint = `${worker.url}/v1/watermark/${fields.image ? "image" : "text"}`;
  console.log(`Paying for ${endpoint} with the development key …`);
  const response = await callPaid(endpoint, form);
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);

  const { output, cost } = (await response.json()) as {
    output: { url: string; expires_at: string; pages: number };
    cost: string;
  };
  const download = await fetch(output.url);
  const file = resolve("out", `${basename(path, extname(path))}-watermarked.pdf`);
  await mkdir("out", { recursive: true });
  await writeFile(file, new Uint8Array(await download.arrayBuffer()));

  console.log(`\nWatermarked ${output.pages} pages: ${relative(".", file)}`);
  console.log(`Paid ${cost}: ${atob(response.headers.get("X-PAYMENT-RESPONSE") ?? "")}`);
  console.log(`Link, until ${output.expires_at} or until this server stops:\n${output.url}`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await worker.stop();
  console.log("\nThe Worker has been stopped. `npm run dev` starts one that stays up.");
}
