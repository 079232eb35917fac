import { tracing } from "cloudflare:workers";
import type { Context, MiddlewareHandler } from "hono";
import { routePath } from "hono/route";
import { log } from "../shared/log.ts";
import type { RequestLine } from "../shared/logLines.ts";
import type { ApiEnv } from "./environment.ts";
import { countRequest } from "./statistics.ts";

/** Writes one log line and one data point per request once the response is known, or at the end of an event stream. */
export const logRequest: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const began = Date.now();
  const root = tracing.getActiveSpan();
  c.set("facts", {});
  await next();
  const record = () => {
    const line = lineOf(c, Date.now() - began);
    log(line);
    countRequest(line, c.env);
    root?.setAttributes({ request_id: line.request_id, code: line.code, outcome: line.outcome });
  };
  const { body, headers } = c.res;
  if (!body || !headers.get("Content-Type")?.startsWith("text/event-stream")) return record();
  c.res = new Response(followedBy(record, body), c.res);
};

/** Returns a stream with the chunks of `stream`. Calls `onEnd` when the returned stream ends, fails or is canceled. */
function followedBy(onEnd: () => void, stream: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        onEnd();
        throw error;
      });
      if (!done) return controller.enqueue(value);
      onEnd();
      controller.close();
    },
    cancel(reason) {
      onEnd();
      return reader.cancel(reason);
    },
  });
}

function lineOf(c: Context<ApiEnv>, ms: number): RequestLine {
  const bytesIn = Number(c.req.header("Content-Length") ?? 0);
  const bytesOut = Number(c.res.headers.get("Content-Length") ?? 0);
  return {
    event: "request",
    request_id: c.var.requestId,
    method: c.req.method,
    route: routePath(c, -1),
    status: c.res.status,
    ...(bytesIn > 0 && { bytes_in: bytesIn }),
    ...(bytesOut > 0 && { bytes_out: bytesOut }),
    ...c.var.facts,
    ms,
  };
}
