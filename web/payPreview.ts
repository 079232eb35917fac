/** The preview on the page of a payment link: marks the uploaded file in the browser and draws page 1. */
import type { FieldValue } from "../src/service/request/fieldKinds.ts";
import { noticeText } from "../src/service/sale/notices.ts";
import { Engine } from "./engine.ts";
import { drawFirstPage } from "./firstPage.ts";
import { Refused } from "./messages.ts";

/** The call, as the page describes it. `files` has the name of each uploaded file. */
interface Job {
  operation: "text" | "image";
  settings: Record<string, FieldValue>;
  files: { file: string; image?: string };
  maxPages: number;
  maxPixels: number;
}

/** Maximum height of the drawn page, in CSS pixels. */
const HEIGHT = 640;

/** Draws page 1 with the mark, and describes the mark below. If drawing fails, shows the reason. */
export async function showPreview(place: HTMLElement, caption: HTMLElement): Promise<void> {
  const { path, job } = place.dataset as { path: string; job: string };
  try {
    caption.textContent = await draw(place, path, JSON.parse(job) as Job);
  } catch (error) {
    place.remove();
    caption.textContent =
      error instanceof Refused
        ? `This call would fail, and nothing would be charged: ${error.refusal.detail} Ask the assistant for another link.`
        : `There is no preview: ${error instanceof Error ? error.message : error}`;
  }
}

async function draw(place: HTMLElement, path: string, { operation, settings, files, ...limits }: Job): Promise<string> {
  const read = async (field: "file" | "image") => {
    const response = await fetch(`${path}/${field}`, { method: "POST" });
    if (response.ok) return new File([await response.blob()], files[field] ?? "");
    const { detail } = (await response.json().catch(() => ({}))) as { detail?: string };
    throw new Error(detail ?? `the file could not be read (${response.status}).`);
  };
  const [file, image] = await Promise.all([read("file"), files.image === undefined ? undefined : read("image")]);
  const { pdf, pages, notices } = await new Engine().mark({ file, operation, fields: settings, image, limits });
  const canvas = await drawFirstPage(pdf, undefined, { width: place.clientWidth, height: HEIGHT });
  place.replaceChildren(canvas);
  const which = pages === 1 ? "The page" : `Page 1 of ${pages}`;
  const words = notices.map((notice) => noticeText(notice).replaceAll("`", ""));
  return [`${which} with the mark, drawn in this browser.`, ...words].join(" ");
}
