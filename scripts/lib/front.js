/**
 * The public entry of `npm run serve`. Miniflare's own entry would obey headers such as `MF-Original-URL`. It would
 * also serve the whole bucket without a token to clients that send a local host name (`/cdn-cgi/local/r2/public/…`).
 * This entry forwards requests to the Worker, and supports only the headers that a reverse proxy needs. While the server
 * drains, it answers new requests with 503.
 */

/** Value of `Retry-After` while the server drains. A restarted server answers within seconds. */
const RETRY_SECONDS = "10";

/** Requests whose answers are not completely sent yet. */
let running = 0;
let isDraining = false;

export default {
  /**
   * Forwards a request to the Worker. @param {Request} request @param {{ WORKER: { fetch: typeof fetch }, IS_LOCAL:
   * boolean }} env @param {ExecutionContext} context
   */
  async fetch(request, { WORKER, IS_LOCAL }, context) {
    if (isDraining) return refuse(request, context);
    const end = countedRequest(request.signal);
    const url = new URL(request.url);
    if (request.headers.get("X-Forwarded-Proto") === "https") url.protocol = "https:";
    const passed = new Request(url, request);
    // The caller's address is unknown here, unless a proxy sends it. Callers without a known address share the address
    // "unknown", which does not count as local.
    if (!IS_LOCAL && !passed.headers.has("CF-Connecting-IP")) passed.headers.set("CF-Connecting-IP", "unknown");
    try {
      return untilSent(await WORKER.fetch(passed), end, context);
    } catch (error) {
      end();
      throw error;
    }
  },
};

/** The entry that only the process of `npm run serve` calls, at a separate socket on loopback. */
export const control = {
  /**
   * Starts to drain, and answers with the number of running requests. Accepts only a POST with the secret path. @param
   * {Request} request @param {{ DRAIN_PATH: string }} env
   */
  fetch(request, { DRAIN_PATH }) {
    if (request.method !== "POST" || new URL(request.url).pathname !== DRAIN_PATH)
      return new Response(null, { status: 404 });
    isDraining = true;
    return Response.json({ running });
  },
};

/** Counts a request as running until the returned function is called or the client disconnects. @param {AbortSignal} signal */
function countedRequest(signal) {
  let isRunning = true;
  running++;
  const end = () => {
    if (isRunning) running--;
    isRunning = false;
  };
  signal.addEventListener("abort", end);
  return end;
}

/**
 * Calls `end` once a download or an event stream is sent, and at once for every other response. The body of every other
 * response is small, and copying it would lose its length. @param {Response} response @param {() => void} end @param
 * {ExecutionContext} context
 */
function untilSent(response, end, context) {
  const { body, headers } = response;
  const length = headers.get("Content-Length");
  const isEvents = headers.get("Content-Type")?.startsWith("text/event-stream");
  if (!body || headers.has("Content-Encoding") || (length === null && !isEvents)) {
    end();
    return response;
  }
  const copy = length === null ? new IdentityTransformStream() : new FixedLengthStream(Number(length));
  context.waitUntil(body.pipeTo(copy.writable).then(end, end));
  return new Response(copy.readable, response);
}

/**
 * Answers a request that arrives while the server drains. Also reads its body, because some clients read the answer only
 * after they have sent the body. @param {Request} request @param {ExecutionContext} context
 */
function refuse(request, context) {
  if (request.body) context.waitUntil(request.body.pipeTo(new WritableStream()).catch(() => undefined));
  const problem = {
    type: "about:blank",
    title: "The service is temporarily overloaded",
    status: 503,
    code: "too_busy",
    detail: "The server restarts and accepts no new requests. Repeat the request after the time in Retry-After.",
    request_id: crypto.randomUUID(),
  };
  const headers = {
    "Content-Type": "application/problem+json",
    "Retry-After": RETRY_SECONDS,
    "Cache-Control": "no-store",
  };
  return Response.json(problem, { status: problem.status, headers });
}
