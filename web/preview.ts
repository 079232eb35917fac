/** Marks a file and draws the result. The page loads this module only after a file has been chosen. */
import { Engine, NOT_LOADED } from "./engine.ts";
import type { Adjustment } from "./handles.ts";
import { type Marked, type MarkRequest, Refused } from "./messages.ts";
import { enablePageTools } from "./pageTools.ts";
import { Viewer } from "./viewer.ts";

/** Longest side of the picture in a receipt, in pixels. */
const PICTURE_PX = 160;

type Job = Omit<MarkRequest, "id">;

/**
 * Loads the engine into the browser's cache. Reports the number of bytes received so far.
 * @throws Refused if the engine cannot be loaded
 */
export function fetchEngine(onProgress: (bytes: number) => void): Promise<void> {
  return readEngine(onProgress).catch(() => {
    throw new Refused({ detail: NOT_LOADED, errors: [] });
  });
}

async function readEngine(onProgress: (bytes: number) => void): Promise<void> {
  const response = await fetch("/assets/engine.worker.js");
  if (!response.ok) throw new Error(`status ${response.status}`);
  const reader = response.body!.getReader();
  let bytes = 0;
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    bytes += read.value.length;
    onProgress(bytes);
  }
}

/** Marks the playground's file and shows its pages. */
export class Preview {
  readonly #engine = new Engine();
  readonly #viewer: Viewer;
  #file: File | undefined;

  /** @param adjust begins a change of the mark by hand */
  constructor(container: HTMLElement, adjust: () => (adjustment: Adjustment) => void) {
    this.#viewer = new Viewer(container, adjust);
    enablePageTools(this.#viewer);
  }

  /** Returns a small picture of the first page as a data URI, or undefined if the page is not drawn. */
  picture(): string | undefined {
    return this.#viewer.picture(PICTURE_PX);
  }

  /** Removes the shown file. */
  clear(): void {
    this.#viewer.clear();
    this.#file = undefined;
  }

  /**
   * Marks a file and shows it.
   * @throws Refused if the file cannot be marked
   */
  async show(job: Job): Promise<Omit<Marked, "pdf">> {
    const { pdf, ...facts } = await this.#engine.mark(job);
    if (job.file !== this.#file) this.#viewer.clear();
    this.#file = job.file;
    const { password } = job.fields;
    await this.#viewer.show(pdf, password === undefined ? undefined : String(password), facts.outlines);
    return facts;
  }
}
