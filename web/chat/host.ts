/** What the host tells of itself and of how it looks: as much of it as is used here. */
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

/** The revision of MCP Apps that is spoken here. */
const PROTOCOL_VERSION = "2026-01-26";

/** The chat that shows this view: JSON-RPC 2.0 with the window around it (MCP Apps, "Communication Protocol"). */
export class Host {
  /** What waits for an answer, by the id of its request. */
  readonly #waiting = new Map<number | string, (answer: Message) => void>();
  #lastId = 0;

  /** @param on takes the host's notifications, by their methods */
  constructor(on: Record<string, (params: never) => void>) {
    addEventListener("message", ({ source, data }: MessageEvent<Message | null>) => {
      if (source !== parent || data?.jsonrpc !== "2.0") return;
      if (data.method === undefined) this.#waiting.get(data.id!)?.(data);
      else if (data.id === undefined) on[data.method]?.(Object(data.params) as never);
      else this.#answer(data);
    });
  }

  /** Says what this view is, and returns what the host looks like ("Lifecycle"). Notifications come from then on. */
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
   * Asks the host for something.
   * @throws Error if it refuses
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

  /** Tells the host how large the view is, now and whenever that changes ("Container Dimensions"). */
  reportSize(): void {
    let reported = "";
    new ResizeObserver(() => {
      const size = { width: innerWidth, height: Math.ceil(document.documentElement.getBoundingClientRect().height) };
      if (JSON.stringify(size) === reported) return;
      reported = JSON.stringify(size);
      this.#post({ method: "ui/notifications/size-changed", params: size });
    }).observe(document.documentElement);
  }

  /** Answers a request of the host's: nothing here has to be saved before it takes the view away. */
  #answer({ id, method }: Message): void {
    if (method === "ping" || method === "ui/resource-teardown") this.#post({ id, result: {} });
    else this.#post({ id, error: { code: -32601, message: `there is no method ${method}` } });
  }

  #post(message: object): void {
    parent.postMessage({ jsonrpc: "2.0", ...message }, "*"); // the origin of a host cannot be known, and nothing is secret from it
  }
}
