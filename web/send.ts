/** How far the sending of a body has come. */
export interface Sending {
  /** The share that is sent, 0 to 1. */
  onProgress(share: number): void;
  signal?: AbortSignal;
}

/**
 * Sends a form or a file and tells how much of it has been sent, which `fetch` does not.
 * @throws DOMException AbortError if `signal` is aborted
 * @throws TypeError if there is no answer
 */
export function send(
  method: "POST" | "PUT",
  path: string,
  body: FormData | File,
  headers: Record<string, string>,
  sending: Sending,
): Promise<Response> {
  const { signal, onProgress } = sending;
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const request = new XMLHttpRequest();
    request.upload.addEventListener("progress", ({ loaded, total }) => onProgress(loaded / total));
    request.upload.addEventListener("load", () => onProgress(1));
    request.addEventListener("load", () => resolve(responseOf(request)));
    request.addEventListener("error", () => reject(new TypeError("no answer")));
    signal?.addEventListener("abort", () => {
      request.abort();
      reject(signal.reason);
    });
    request.open(method, path);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.send(body);
  });
}

function responseOf(request: XMLHttpRequest): Response {
  const headers = new Headers();
  for (const line of request.getAllResponseHeaders().trim().split("\r\n")) {
    const [name, ...value] = line.split(":");
    headers.append(name!, value.join(":").trim());
  }
  return new Response(request.responseText, { status: request.status, headers });
}
