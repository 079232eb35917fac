/** Progress and cancellation of an upload. */
export interface Sending {
  /** Called with the uploaded share, from 0 to 1. */
  onProgress(share: number): void;
  signal?: AbortSignal;
}

/**
 * Uploads a form or a file and reports progress, which `fetch` cannot do.
 * @throws DOMException AbortError if `signal` is aborted
 * @throws TypeError if no answer arrives
 */
export function send(
  method: "POST" | "PUT",
  path: string,
  body: FormData | Blob,
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
