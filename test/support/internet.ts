import { onePage } from "./pdf.ts";
import { RED_PNG } from "./png.ts";

/**
 * What the Worker under test finds when it fetches: a few files on files.example.com, some of them badly behaved, and the
 * x402 facilitators at facilitator.example.com, one for each way to answer. Anything else cannot be reached.
 */
export async function internet(request: { url: string; text(): Promise<string> }): Promise<Response> {
  const { hostname, pathname } = new URL(request.url);
  if (hostname === "files.example.com") return fileAt(pathname);
  if (hostname === "facilitator.example.com") return facilitatorAt(pathname, await request.text());
  throw new TypeError(`no route to ${hostname}`);
}

const to = (location: string) => new Response(null, { status: 302, headers: { Location: location } });

async function fileAt(path: string): Promise<Response> {
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

const TRANSACTION = `0x${"ab".repeat(32)}`;
const asked = new Map<string, number>();

/** What `-first` and `-second` behaviours count: how often this address was asked. */
function timesAsked(path: string): number {
  const times = (asked.get(path) ?? 0) + 1;
  asked.set(path, times);
  return times;
}

/** The facilitator at `/<behaviour>[-<anything to tell it from others>]`, asked to `/verify` or `/settle`. */
async function facilitatorAt(path: string, body: string): Promise<Response> {
  const [, behaviour = "", call] = path.split("/");
  const times = timesAsked(path);
  if (call === "count") return Response.json({ settle: asked.get(`/${behaviour}/settle`) });

  const { x402Version, paymentPayload, paymentRequirements } = JSON.parse(body) as Record<
    string,
    Record<string, unknown>
  >;
  const wellFormed =
    Number(x402Version) === 1
      ? paymentPayload?.scheme === "exact" && paymentRequirements?.maxAmountRequired === "50000"
      : paymentPayload?.accepted !== undefined && paymentRequirements?.amount === "50000";
  if (!wellFormed) return Response.json({ error: "neither version 1 nor version 2" }, { status: 400 });

  const network = String(paymentRequirements?.network);
  const verified = { isValid: true };
  const settled = { success: true, transaction: TRANSACTION, network };
  const refused = { success: false, transaction: "", network };
  const answers: [RegExp, () => Response | Promise<Response>][] = [
    [/^refuses-verify verify/, () => Response.json({ isValid: false, invalidReason: "insufficient_funds" })],
    [
      /^refuses-verify-400 verify/,
      () => Response.json({ isValid: false, invalidReason: "invalid_payload" }, { status: 400 }),
    ],
    [/^refuses-second-verify.* verify 2/, () => Response.json({ isValid: false, invalidReason: "nonce_already_used" })],
    [/^refuses-settle settle/, () => Response.json({ ...refused, errorReason: "invalid_transaction_state" })],
    [
      /^refuses-settle-400 settle/,
      () => Response.json({ ...refused, errorReason: "insufficient_funds" }, { status: 400 }),
    ],
    [/^down verify/, () => new Response("bad gateway", { status: 502 })],
    [/^garbage verify/, () => new Response("{]")],
    [/^endless verify/, () => new Response(new Uint8Array(100_000))],
    [/^redirects verify/, () => to("https://facilitator.example.com/good/verify")],
    [/^silent verify/, () => new Promise<Response>(() => {})],
    [/^silent-first.* settle 1$/, () => new Promise<Response>(() => {})],
    [/^loses-first-answer.* settle 1$/, () => Promise.reject(new TypeError("connection cut"))],
    [/^half-answers-first.* settle 1$/, () => new Response('{"success":tr')],
    [/^answers-500-first.* settle 1$/, () => new Response("internal error", { status: 500 })],
    [/^says-nothing-of-transaction-first.* settle 1$/, () => Response.json({ success: true })],
  ];
  const answer = answers.find(([when]) => when.test(`${behaviour} ${call} ${times}`));
  if (answer) return answer[1]();
  return Response.json(call === "verify" ? verified : settled);
}
