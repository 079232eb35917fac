/** The engine in a web worker. It validates and marks exactly like the service. */
import * as z from "zod";
import {
  EngineError,
  type EngineErrorCode,
  type LoadFont,
  type MarkOutline,
  type WatermarkPlan,
  watermark,
} from "../src/engine/index.ts";
import { expectPdf, HEAD_LENGTH } from "../src/inputs/sniff.ts";
import { fieldMessage } from "../src/service/request/fieldMessages.ts";
import { imageMarkOf, textMarkOf } from "../src/service/request/marks.ts";
import { imageRequest, textRequest, withPlaceCheck } from "../src/service/request/schemas.ts";
import { Problem } from "../src/shared/problems.ts";
import type { MarkAnswer, Marked, MarkRequest, Refusal } from "./messages.ts";

type OnPlace = (outline: MarkOutline) => void;

/** Number of pages on which the visitor can move the mark by hand. */
const MAX_OUTLINES = 1000;

const textSettings = withPlaceCheck(textRequest().omit({ file: true }));
const imageSettings = imageRequest().omit({ file: true, image: true });

const loadFont: LoadFont = async (path) => {
  const response = await fetch(`/fonts/${path}`);
  if (!response.ok) throw new Error(`the font ${path} could not be loaded: ${response.status}`);
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
  const outlines: MarkOutline[] = [];
  const onPlace = (outline: MarkOutline) => {
    if (outline.page <= MAX_OUTLINES) outlines[outline.page - 1] = outline;
  };
  const plan = request.operation === "text" ? planText : planImage;
  const { pages, length, notices, chunks } = await plan(request, onPlace);
  const pdf = new Uint8Array(length);
  let at = 0;
  for await (const chunk of chunks()) {
    pdf.set(chunk, at);
    at += chunk.length;
  }
  return { pdf, pages, notices, outlines };
}

async function planText({ fields, file, limits }: MarkRequest, onPlace: OnPlace): Promise<WatermarkPlan> {
  const settings = textSettings.parse(fields, { error: fieldMessage });
  const { password } = settings;
  const options = { ...limits, password, filename: file.name || settings.filename, loadFont, onPlace };
  return watermark(await pdfIn(file), textMarkOf(settings), options);
}

async function planImage({ fields, file, image, limits }: MarkRequest, onPlace: OnPlace): Promise<WatermarkPlan> {
  const settings = imageSettings.parse(fields, { error: fieldMessage });
  const pdf = await pdfIn(file);
  const mark = imageMarkOf(settings, await bytesOf(image!));
  return watermark(pdf, mark, { ...limits, password: settings.password, onPlace });
}

async function pdfIn(file: File): Promise<Uint8Array> {
  const bytes = await bytesOf(file);
  expectPdf(bytes.subarray(0, HEAD_LENGTH), undefined);
  return bytes;
}

async function bytesOf(file: File): Promise<Uint8Array> {
  return new Uint8Array(await file.arrayBuffer());
}

/** The form field that causes an error of the engine, by error code. */
const FIELDS: Partial<Record<EngineErrorCode, string>> = {
  password_required: "password",
  wrong_password: "password",
  modification_not_permitted: "password",
  unsupported_character: "text",
  unsupported_image: "image",
  damaged_image: "image",
  image_too_large: "image",
};

function refusalOf(error: unknown): Refusal {
  if (error instanceof z.ZodError) {
    const errors = error.issues.map(({ path, message }) => ({ path: path.join("."), message }));
    return { detail: `${errors.map(({ path, message }) => `\`${path}\` ${message}`).join("; ")}.`, errors };
  }
  if (error instanceof EngineError) {
    const { code, message } = error;
    const path = FIELDS[code];
    return { code, detail: message, errors: path === undefined ? [] : [{ path, message }] };
  }
  if (error instanceof Problem) return { detail: error.detail, errors: [] };
  return { detail: `The file could not be marked: ${error instanceof Error ? error.message : error}`, errors: [] };
}
