import { type MarkAnswer, type Marked, type MarkRequest, Refused } from "./messages.ts";

/** Error message for an engine that the browser could not load. */
export const NOT_LOADED = "The engine could not be loaded. Change a setting or reload the page to try again.";

/** Runs the engine in a web worker, because marking a file would block the page. */
export class Engine {
  /** The current worker. Undefined before the first job, and after a worker has failed. */
  #worker: Worker | undefined;
  #lastId = 0;

  /**
   * Marks a file. Starts a new worker if the previous one has failed.
   * @throws Refused if the settings or the file are invalid, or if the worker fails
   */
  mark(request: Omit<MarkRequest, "id">): Promise<Marked> {
    const id = ++this.#lastId;
    this.#worker ??= new Worker("/assets/engine.worker.js", { type: "module" });
    const worker = this.#worker;
    return new Promise((resolve, reject) => {
      const end = new AbortController();
      const { signal } = end;
      worker.addEventListener(
        "message",
        ({ data }: MessageEvent<MarkAnswer>) => {
          if (data.id !== id) return;
          end.abort();
          if ("marked" in data) resolve(data.marked);
          else reject(new Refused(data.refusal));
        },
        { signal },
      );
      worker.addEventListener(
        "error",
        () => {
          end.abort();
          worker.terminate();
          if (this.#worker === worker) this.#worker = undefined;
          reject(new Refused({ detail: NOT_LOADED, errors: [] }));
        },
        { signal },
      );
      worker.postMessage({ id, ...request } satisfies MarkRequest);
    });
  }
}
