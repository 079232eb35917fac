/** Marks a file and draws the result. The page loads this module only after a file has been chosen. */
import { Engine } from "./engine.ts";
import type { Marked, MarkRequest } from "./messages.ts";
import { Viewer } from "./viewer.ts";

type Job = Omit<MarkRequest, "id">;

/** Marks the playground's file and shows its pages. */
export class Preview {
  readonly #engine = new Engine();
  readonly #viewer: Viewer;
  #file: File | undefined;

  constructor(container: HTMLElement) {
    this.#viewer = new Viewer(container);
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
    await this.#viewer.show(pdf, password === undefined ? undefined : String(password));
    return facts;
  }
}
