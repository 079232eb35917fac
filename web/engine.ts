import { type MarkAnswer, type Marked, type MarkRequest, Refused } from "./messages.ts";

/** Runs the engine in a web worker, because marking a file would block the page. */
export class Engine {
  readonly #worker = new Worker("/assets/engine.worker.js", { type: "module" });
  #lastId = 0;

  /**
   * Marks a file.
   * @throws Refused if the settings or the file are invalid
   */
  mark(request: Omit<MarkRequest, "id">): Promise<Marked> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      const end = new AbortController();
      const { signal } = end;
      this.#worker.addEventListener(
        "message",
        ({ data }: MessageEvent<MarkAnswer>) => {
          if (data.id !== id) return;
          end.abort();
          if ("marked" in data) resolve(data.marked);
          else reject(new Refused(data.refusal));
        },
        { signal },
      );
      this.#worker.addEventListener(
        "error",
        () => {
          end.abort();
          reject(new Refused({ detail: "The engine could not be loaded. Reload the page.", errors: [] }));
        },
        { signal },
      );
      this.#worker.postMessage({ id, ...request } satisfies MarkRequest);
    });
  }
}
