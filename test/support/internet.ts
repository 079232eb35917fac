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

const PAYER = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const TRANSACTION = `0x${"ab".repeat(32)}`;

async function facilitatorAt(path: string, body: string): Promise<Response> {
  const [, behaviour, call] = path.split("/");
  const { x402Version, paymentPayload, paymentRequirements } = JSON.parse(body) as Record<
    string,
    Record<string, unknown>
  >;
  const wellFormed =
    Number(x402Version) === 1 &&
    paymentPayload?.scheme === "exact" &&
    paymentRequirements?.maxAmountRequired === "50000";
  const verified = { isValid: true, payer: PAYER };
  const settled = { success: true, transaction: TRANSACTION, network: "base-sepolia", payer: PAYER };

  if (!wellFormed) return Response.json({ error: "not version 1" }, { status: 400 });
  switch (`${behaviour} ${call}`) {
    case "refuses-verify verify":
      return Response.json({ isValid: false, invalidReason: "insufficient_funds", payer: PAYER });
    case "refuses-verify-400 verify":
      return Response.json({ isValid: false, invalidReason: "invalid_payload" }, { status: 400 });
    case "refuses-settle settle":
      return Response.json({ ...settled, success: false, errorReason: "invalid_transaction_state", transaction: "" });
    case "down verify":
    case "down-at-settle settle":
      return new Response("bad gateway", { status: 502 });
    case "garbage verify":
      return new Response("{]");
    case "silent verify":
      return new Promise(() => {});
    default:
      return Response.json(call === "verify" ? verified : settled);
  }
}
