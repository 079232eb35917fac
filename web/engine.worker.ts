/** The service's engine in a worker of the page: requests are checked and marked as the service does it. */
import * as z from "zod";
import { EngineError, type LoadFont, type WatermarkPlan, watermark } from "../src/engine/index.ts";
import { imageMarkOf, textMarkOf } from "../src/service/marks.ts";
import { imageRequest, textRequest } from "../src/service/schemas.ts";
import type { MarkAnswer, Marked, MarkRequest, Refusal } from "./messages.ts";

const textSettings = textRequest.omit({ file: true });
const imageSettings = imageRequest.omit({ file: true, image: true });

const loadFont: LoadFont = async (path) => {
  const response = await fetch(`/fonts/${path}`);
  if (!response.ok) throw new Error(`The font ${path} could not be loaded: ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
};

addEventListener("message", async ({ data: request }: MessageEvent<MarkRequest>) => {
  const { id } = request;
  try {
    const marked = await mark(request);
    postMessage({ id, marked } satisfies MarkAnswer, { transfer: [marked.pdf.buffer] });
  } catch (error) {
    postMessage({ id, refusal: refusalOf(error) } satisfies MarkAnswer);
  }
});

async function mark(request: MarkRequest): Promise<Marked> {
  const began = performance.now();
  const { pages, length, notices, chunks } = await (request.operation === "text" ? planText : planImage)(request);
  const pdf = new Uint8Array(length);
  let at = 0;
  for await (const chunk of chunks()) {
    pdf.set(chunk, at);
    at += chunk.length;
  }
  return { pdf, pages, notices, milliseconds: performance.now() - began };
}

async function planText({ fields, file, limits }: MarkRequest): Promise<WatermarkPlan> {
  const settings = textSettings.parse(fields);
  return watermark(await bytesOf(file), textMarkOf(settings), { ...limits, password: settings.password, loadFont });
}

async function planImage({ fields, file, image, limits }: MarkRequest): Promise<WatermarkPlan> {
  const settings = imageSettings.parse(fields);
  const mark = imageMarkOf(settings, await bytesOf(image!));
  return watermark(await bytesOf(file), mark, { ...limits, password: settings.password });
}

async function bytesOf(file: File): Promise<Uint8Array> {
  return new Uint8Array(await file.arrayBuffer());
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof z.ZodError)
    return {
      detail: "The settings are not valid.",
      errors: error.issues.map(({ path, message }) => ({ path: path.join("."), message })),
    };
  if (error instanceof EngineError) return { detail: error.message, errors: [] };
  return { detail: `The file could not be marked: ${error instanceof Error ? error.message : error}`, errors: [] };
}
