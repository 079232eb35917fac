/** The part of the host's context that this view uses: its theme and style variables. */
export interface HostContext {
  theme?: "light" | "dark";
  styles?: { variables?: Record<string, string | undefined> };
}

interface Message {
  jsonrpc?: unknown;
  id?: number | string;
  method?: string;
  params?: unknown;
  result?: unknown;
  error?: unknown;
}

/** The supported revision of MCP Apps. */
const PROTOCOL_VERSION = "2026-01-26";

/**
 * The connection to the host, the chat that shows this view. It uses JSON-RPC 2.0 messages to the parent window (MCP
 * Apps, "Communication Protocol").
 */
export class Host {
  /** Handlers of pending requests, by request id. */
  readonly #waiting = new Map<number | string, (answer: Message) => void>();
  #lastId = 0;

  /** @param on handlers of the host's notifications, by method */
  constructor(on: Record<string, (params: never) => void>) {
    addEventListener("message", ({ source, data }: MessageEvent<Message | null>) => {
      if (source !== parent || data?.jsonrpc !== "2.0") return;
      if (data.method === undefined) this.#waiting.get(data.id!)?.(data);
      else if (data.id === undefined) on[data.method]?.(Object(data.params) as never);
      else this.#answer(data);
    });
  }

  /**
   * Introduces this view to the host and returns the host's context. The host sends notifications only afterwards.
   * Source: MCP Apps, "Lifecycle".
   */
  async connect(name: string, version: string): Promise<HostContext> {
    const { hostContext = {} } = (await this.request("ui/initialize", {
      appInfo: { name, version },
      appCapabilities: { availableDisplayModes: ["inline"] },
      protocolVersion: PROTOCOL_VERSION,
    })) as { hostContext?: HostContext };
    this.#post({ method: "ui/notifications/initialized", params: {} });
    return hostContext;
  }

  /**
   * Sends a request to the host.
   * @throws Error if the host refuses it
   */
  request(method: string, params: object): Promise<object> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, ({ result, error }) => {
        this.#waiting.delete(id);
        const refused = error !== undefined || (result as { isError?: boolean } | undefined)?.isError;
        if (refused) reject(new Error(`${method} is refused`));
        else resolve(Object(result));
      });
      this.#post({ id, method, params });
    });
  }

  /** Reports the size of the view to the host, now and after every change. Source: MCP Apps, "Container Dimensions". */
  reportSize(): void {
    let reported = "";
    new ResizeObserver(() => {
      const size = { width: innerWidth, height: Math.ceil(document.documentElement.getBoundingClientRect().height) };
      if (JSON.stringify(size) === reported) return;
      reported = JSON.stringify(size);
      this.#post({ method: "ui/notifications/size-changed", params: size });
    }).observe(document.documentElement);
  }

  /** Answers a request of the host. A teardown is confirmed at once, because this view has nothing to save. */
  #answer({ id, method }: Message): void {
    if (method === "ping" || method === "ui/resource-teardown") this.#post({ id, result: {} });
    else this.#post({ id, error: { code: -32601, message: `the method ${method} is not supported` } });
  }

  #post(message: object): void {
    // any origin may receive the message, because the host's origin is unknown and no message is secret
    parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  }
}
