import type { Config } from "./config.ts";
import { isDeveloper, isLoopback } from "./loopback.ts";
import type { Surroundings } from "./operation.ts";
import { roomsOf } from "./rooms.ts";

/** What an operation asked for by an HTTP request runs with. */
export function surroundingsOf(request: Request, env: Env, config: Config): Surroundings {
  return {
    env,
    config,
    origin: fileOrigin(request, config),
    allowLoopback: config.allowLoopbackSources && isDeveloper(request),
    rooms: roomsOf(env, config),
  };
}

/** Scheme and host of the links to the results of a request. */
function fileOrigin(request: Request, { fileHost }: Config): string {
  const { origin, protocol } = new URL(request.url);
  if (fileHost === undefined) return origin;
  return `${isLoopback(request) ? protocol : "https:"}//${fileHost}`;
}
