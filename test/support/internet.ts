import { onePage } from "./pdf.ts";
import { RED_PNG } from "./png.ts";
import { channelFacilitatorAt } from "./testChain.ts";

/**
 * Simulates the internet for the Worker under test. files.example.com serves files, some with faults.
 * facilitator.example.com hosts x402 facilitators, whose behavior is named in the path. node.example.com hosts nodes of
 * blockchains. Other hosts are unreachable.
 */
export async function internet(request: {
  url: string;
  headers: { get(name: string): string | null };
  text(): Promise<string>;
}): Promise<Response> {
  const { hostname, pathname, search } = new URL(request.url);
  if (/^(files|v4|v6)\.example\.com$/.test(hostname)) return fileAt(pathname, search);
  if (hostname === "example.com") return fileAt(EXAMPLES[pathname] ?? pathname, search);
  if (hostname === "dns.example.com") return dnsAnswer(new URL(request.url).searchParams);
  if (hostname === "facilitator.example.com")
    return facilitatorAt(pathname, request.headers.get("Authorization"), await request.text());
  if (hostname === "node.example.com" && pathname.startsWith("/moved/"))
    // A redirect with status 307 makes the client send the request body again.
    return to(request.url.replace("/moved/", "/"), 307);
  if (hostname === "node.example.com")
    return nodeAt(JSON.parse(atob(decodeURIComponent(pathname.slice(1)))), JSON.parse(await request.text()));
  throw new TypeError(`no route to ${hostname}`);
}

/** Paths of the files in the published examples, each with the path of the served file. */
const EXAMPLES: Record<string, string> = { "/contract.pdf": "/one-page.pdf", "/logo.png": "/red.png" };

const to = (location: string, status = 302) => new Response(null, { status, headers: { Location: location } });

async function fileAt(path: string, query: string): Promise<Response> {
  const [, what, number] = /^\/(status|hops)\/(\d+)$/.exec(path) ?? [];
  if (what === "status") return new Response(null, { status: Number(number) });
  if (what === "hops") return to(number === "1" ? "/one-page.pdf" : `/hops/${Number(number) - 1}`);
  const [, zeros, unannounced] = /^\/zeros\/(\d+)(-unannounced)?$/.exec(path) ?? [];
  if (zeros !== undefined) {
    const bytes = new Uint8Array(Number(zeros));
    return new Response(unannounced ? new Blob([bytes]).stream() : bytes);
  }
  switch (path) {
    case "/one-page.pdf":
      return new Response(onePage, { headers: { "Content-Type": "application/octet-stream" } });
    case "/red.png":
      return new Response(RED_PNG);
    case "/page.html":
      return new Response("<!DOCTYPE html><html><body>Sign in to download</body></html>", {
        headers: { "Content-Type": "application/pdf" },
      });
    case "/text.pdf":
      return new Response("just words");
    case "/moved.pdf":
      return to("/one-page.pdf");
    case "/loop.pdf":
      return to("/loop.pdf");
    case "/there.pdf":
      return to("/back.pdf");
    case "/back.pdf":
      return to("/there.pdf");
    case "/to":
      return to(decodeURIComponent(query.slice(1)));
    case "/inside.pdf":
      return to("http://169.254.169.254/latest/meta-data");
    case "/secret":
      return new Response("the far side's own words", { status: 403 });
    case "/slow.pdf":
      return new Promise(() => {});
    case "/large.pdf":
      return new Response(new Uint8Array(40_000_000));
    default:
      return new Response("no such file", { status: 404 });
  }
}

/**
 * Answers like the DNS resolver at dns.example.com, in the JSON format of public resolvers. It resolves the names in
 * `NAMES`, and fails for names with certain prefixes.
 */
function dnsAnswer(query: URLSearchParams): Response {
  const name = query.get("name")!;
  const type = query.get("type") === "AAAA" ? 28 : 1;
  if (name.startsWith("servfail")) return Response.json({ Status: 2 });
  if (name.startsWith("broken")) return new Response("<html>", { status: 200 });
  if (name.startsWith("redirect")) return to("https://dns.example.com/elsewhere");
  if (name.startsWith("half") && type === 28) return Response.json({ Status: 2 });
  const data = NAMES[name]?.filter((address) => address.includes(":") === (type === 28));
  const alias = { name, type: 5, TTL: 60, data: "alias.example.com." };
  if (!data) return Response.json({ Status: 3 });
  return Response.json({ Status: 0, Answer: [alias, ...data.map((data) => ({ name, type, TTL: 60, data }))] });
}

const NAMES: Record<string, string[]> = {
  "files.example.com": ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"],
  "v4.example.com": ["93.184.215.14"],
  "v6.example.com": ["2606:2800:21f:cb07:6820:80da:af6b:8b2c"],
  "half.example.com": ["93.184.215.14"],
  "127.0.0.1.nip.io": ["127.0.0.1"],
  "10-0-0-1.sslip.io": ["10.0.0.1"],
  "localtest.me": ["127.0.0.1", "::1"],
  "mixed.example.com": ["93.184.215.14", "192.168.1.1"],
  "mixed6.example.com": ["93.184.215.14", "fd00::1"],
  "metadata.example.com": ["169.254.169.254"],
  "none.example.com": [],
};

/**
 * State of a simulated chain, with blocks at a steady pace and one transaction. The URL path of the chain's node
 * encodes this state.
 */
interface ChainScene {
  /** Answers of a Solana node, by method. Undefined for an EVM node. */
  results?: Record<string, unknown>;
  /** Number of copies of the entries in each array result of a Solana node. The default is 1. */
  repeat?: number;
  newest: number;
  start: number;
  seconds: number;
  /** Number of the block in which the authorization is consumed. */
  consumedAt: number;
  logs: { blockNumber: string }[];
  receipt: object;
  broken?: object;
}

function nodeAt(scene: ChainScene, { method, params }: { method: string; params: unknown[] }): Response {
  if (scene.broken) return Response.json(scene.broken);
  if (scene.results) {
    const result = scene.results[method];
    return Response.json({
      id: 1,
      result: Array.isArray(result)
        ? Array(scene.repeat ?? 1)
            .fill(result)
            .flat()
        : result,
    });
  }
  const hex = (number: number) => `0x${number.toString(16)}`;
  const results: Record<string, () => unknown> = {
    eth_getBlockByNumber() {
      const number = params[0] === "latest" ? scene.newest : Number(params[0]);
      return { number: hex(number), timestamp: hex(scene.start + number * scene.seconds) };
    },
    eth_call: () => hex(Number(params[1]) >= scene.consumedAt ? 1 : 0),
    eth_getLogs() {
      const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string };
      return scene.logs.filter(
        ({ blockNumber: at }) => Number(fromBlock) <= Number(at) && Number(at) <= Number(toBlock),
      );
    },
    eth_getTransactionReceipt: () => scene.receipt,
  };
  return Response.json({ jsonrpc: "2.0", id: 1, result: results[method]?.() });
}

const moved = new Map<string, number>();

/**
 * Answers like a facilitator with a few faults, which depend on the seed in the facilitator's name. The facilitator
 * moves the money of a payment at most once. `/moved` returns the number of transfers.
 */
async function faulty(name: string, call: string | undefined, times: number): Promise<Response> {
  if (call === "moved") return Response.json(moved.get(name) ?? 0);
  const seed = Number(name.split("-")[1]);
  const die = (sides: number) => Math.imul(seed * 31 + times * 17 + (call === "settle" ? 7 : 0), 0x9e3779b1) % sides;
  const used = moved.has(name);
  const cut = () => Promise.reject(new TypeError("connection cut"));
  if (call === "verify") {
    if (times < 3 && Math.abs(die(7)) === 0) return new Response("bad gateway", { status: 502 });
    if (times < 3 && Math.abs(die(7)) === 1) return Response.json({ isValid: false, invalidReason: "a_refusal" });
    return Response.json(used ? { isValid: false, invalidReason: "nonce_used" } : { isValid: true });
  }

  const refused = (errorReason: string) => Response.json({ success: false, errorReason, transaction: "" });
  const settle = () => {
    if (moved.has(name)) return refused("nonce_already_used");
    moved.set(name, 1);
    return Response.json({ success: true, transaction: TRANSACTION });
  };
  switch (times < 3 ? Math.abs(die(9)) : 8) {
    case 0: // the facilitator fails before it transfers the money
      return new Response("bad gateway", { status: 502 });
    case 1:
      return cut();
    case 2: // the facilitator fails after it has transferred the money
      settle();
      return cut();
    case 3:
      settle();
      return new Response("{]");
    case 4: // the facilitator refuses to process the request
      return new Response("too many requests", { status: 429 });
    case 5:
      return used ? settle() : refused("insufficient_funds");
    case 6: // the facilitator answers late
      await new Promise((resolve) => setTimeout(resolve, 300));
      return settle();
    default:
      return settle();
  }
}

const TRANSACTION = `0x${"ab".repeat(32)}`;
const asked = new Map<string, number>();

/** Counts a request to a path. Returns the number of requests to it so far. */
function timesAsked(path: string): number {
  const times = (asked.get(path) ?? 0) + 1;
  asked.set(path, times);
  return times;
}

/** Two Solana accounts of the facilitator, which pay transaction fees. */
export const FEE_PAYERS = [
  "EdqM52SpXCn5c1uozuvuH5o9Tcr41kYeCWz4Ymu6ngbt",
  "5Ba2vn7EcuaYvrhJBtUPZu8BYGFwNKjJwG8xFYskpme4",
];

/**
 * Answers a request to `/supported` with the networks that a facilitator supports. The behavior must be
 * `settles-<networks of x402 version 2>-<networks of x402 version 1>`, with dots between networks. For any other
 * behavior, the answer is 404. In x402 version 2, a Solana network is named by its genesis hash.
 */
function supportedBy(behavior: string): Response {
  const [, newer, older] = /^settles-([\w.]*)-([\w.]*)/.exec(behavior) ?? [];
  if (newer === undefined) return new Response("not found", { status: 404 });
  const solana = { extra: { feePayer: FEE_PAYERS[0] } };
  const kinds = [
    { x402Version: 2, scheme: "exact", network: "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp", extra: { feePayer: "F" } },
    ...newer.split(".").map((chain) => ({
      ...{ x402Version: 2, scheme: "exact", network: `${/^\d*$/.test(chain) ? "eip155" : "solana"}:${chain}` },
      ...(/\D/.test(chain) && solana),
    })),
    ...older!.split(".").map((name) => ({
      ...{ x402Version: 1, scheme: "exact", network: name.replace("_", "-") },
      ...(name.startsWith("solana") && solana),
    })),
    { x402Version: 2, scheme: "upto", network: "eip155:137" },
  ];
  return Response.json({ kinds, extensions: [], signers: { "solana:*": FEE_PAYERS, "eip155:*": ["0x1"] } });
}

/**
 * Functions that resume waiting requests. Requests wait in {@link together}, or until a request to `/release` arrives.
 */
const waiting: (() => void)[] = [];

/** Waits until `count` requests have arrived. `times` is the number of requests including the current one. */
async function together(count: number, times: number): Promise<void> {
  if (times < count) return new Promise((resolve) => waiting.push(resolve));
  for (const go of waiting.splice(0)) go();
}

/** Prices of a call in the tests, in atomic units of USDC. */
const PRICES = ["50000", "70000"];

/**
 * Answers a request to a facilitator, such as `/verify` or `/settle`. The path begins with `/<behavior>`, or with
 * `/<behavior>-<suffix>` for one of several facilitators with the same behavior.
 */
async function facilitatorAt(path: string, authorization: string | null, body: string): Promise<Response> {
  const [, behavior = "", call] = path.split("/");
  const times = timesAsked(path);
  const [, elsewhere] = /^moved-to-(.*)/.exec(behavior) ?? [];
  if (elsewhere) return to(`https://facilitator.example.com/${elsewhere}/${call}`, 307);
  if (behavior.startsWith("channels-")) return channelFacilitatorAt(behavior, call ?? "", body);
  if (call === "release") return Response.json(waiting.splice(0).map((go) => go()).length);
  if (call === "supported") return supportedBy(behavior);
  if (call === "count")
    return Response.json({
      verify: asked.get(`/${behavior}/verify`) ?? 0,
      settle: asked.get(`/${behavior}/settle`),
    });
  if (behavior === "echoes") return Response.json({ isValid: false, invalidReason: `${path} ${authorization}` });
  if (behavior.startsWith("faulty-")) return faulty(behavior, call, times);
  if (behavior.startsWith("says-")) {
    const { status, answer } = JSON.parse(atob(decodeURIComponent(behavior.slice(5))));
    return Response.json(answer, { status });
  }

  const { x402Version, paymentPayload, paymentRequirements } = JSON.parse(body) as Record<
    string,
    Record<string, unknown>
  >;
  const wellFormed =
    Number(x402Version) === 1
      ? paymentPayload?.scheme === "exact" && PRICES.includes(String(paymentRequirements?.maxAmountRequired))
      : paymentPayload?.accepted !== undefined && PRICES.includes(String(paymentRequirements?.amount));
  if (!wellFormed) return Response.json({ error: "neither version 1 nor version 2" }, { status: 400 });

  const network = String(paymentRequirements?.network);
  const verified = { isValid: true };
  const settled = { success: true, transaction: TRANSACTION, network };
  const refused = { success: false, transaction: "", network };
  const answers: [RegExp, () => Response | Promise<Response>][] = [
    [/^settles-.*-refusing verify/, () => Response.json({ isValid: false, invalidReason: "unsupported_network" })],
    [
      /^forged-\S+ verify/,
      () => Response.json({ isValid: false, invalidReason: "invalid_exact_evm_payload_signature" }),
    ],
    [/^refuses-verify verify/, () => Response.json({ isValid: false, invalidReason: "insufficient_funds" })],
    [
      /^refuses-verify-400 verify/,
      () => Response.json({ isValid: false, invalidReason: "invalid_payload" }, { status: 400 }),
    ],
    [/^refuses-second-verify.* verify 2/, () => Response.json({ isValid: false, invalidReason: "nonce_already_used" })],
    [/^used-at-settle settle/, () => Response.json({ ...refused, errorReason: "nonce_already_used" })],
    [/^refuses-settle settle/, () => Response.json({ ...refused, errorReason: "invalid_transaction_state" })],
    [
      /^refuses-settle-400 settle/,
      () => Response.json({ ...refused, errorReason: "insufficient_funds" }, { status: 400 }),
    ],
    [
      /^rejects-(verify|settle).* \1/,
      () => Response.json({ errorType: "invalid_request", errorMessage: "payload does not match" }, { status: 400 }),
    ],
    [/^down verify/, () => new Response("bad gateway", { status: 502 })],
    [/^garbage verify/, () => new Response("{]")],
    [/^endless verify/, () => new Response(new Uint8Array(100_000))],
    [
      /^together-(\d+)-\S+ verify/,
      () => together(Number(behavior.split("-")[1]), times).then(() => Response.json(verified)),
    ],
    [
      /^held-\S+ verify/,
      () => new Promise<void>((resolve) => waiting.push(resolve)).then(() => Response.json(verified)),
    ],
    [/^silent verify/, () => new Promise<Response>(() => {})],
    [/^silent-first.* settle 1$/, () => new Promise<Response>(() => {})],
    [/^loses-first-answer.* settle 1$/, () => Promise.reject(new TypeError("connection cut"))],
    [/^half-answers-first.* settle 1$/, () => new Response('{"success":tr')],
    [/^answers-500-first.* settle 1$/, () => new Response("internal error", { status: 500 })],
    [/^names-no-transaction-first.* settle 1$/, () => Response.json({ success: true })],
  ];
  const answer = answers.find(([when]) => when.test(`${behavior} ${call} ${times}`));
  if (answer) return answer[1]();
  return Response.json(call === "verify" ? verified : settled);
}
