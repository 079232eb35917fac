/** Tests `overprint buy` and `overprint pay` with the real Worker and with malicious deployments. */
import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import type { RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { decodePaymentRequiredHeader, encodePaymentRequiredHeader } from "@x402/core/http";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { samePages } from "../../bench/inputs.ts";
import { freePort } from "../../scripts/lib/worker.ts";
import { DEVELOPMENT_KEY } from "../../src/payments/facilitators/localFacilitator.ts";
import { UPLOADS } from "../../src/settings/limits.ts";
import { startProxy } from "../browser/proxy.ts";
import { type Run, runCli, runProgram, startCli } from "../support/cli.ts";
import { type StartedWorker, startWorker } from "../support/worker.ts";
import { changedTerms, playedDeployments } from "./playedDeployment.ts";

const root = join(import.meta.dirname, "../..");
const CONTRACT = join(root, "examples/contract.pdf");
const LOGO = join(root, "examples/logo.png");
const PAYER = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const PAYEE = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

const run = promisify(execFile);

/** Exit code and output of a process that has ended. */
interface Ended {
  code?: number;
  stdout: string;
}

function hasPython(): boolean {
  return spawnSync("python3", ["--version"]).status === 0;
}

let worker: StartedWorker;
let mainnet: StartedWorker;
let proxy: Awaited<ReturnType<typeof startProxy>>;
beforeAll(async () => {
  [worker, mainnet] = await Promise.all([startWorker(), startWorker({ NETWORKS: "base,base-sepolia" })]);
  proxy = await startProxy(worker.url);
});
afterAll(async () => {
  await proxy?.stop();
  await Promise.all([worker?.stop(), mainnet?.stop()]);
});

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "overprint-cli-"));
  await copyFile(CONTRACT, join(dir, "contract.pdf"));
  return () => rm(dir, { recursive: true, force: true });
});
const cli = (args: string[], setting: Parameters<typeof runCli>[1] = {}) => runCli(args, { cwd: dir, ...setting });
const buy = (args: string[], url = worker.url) => cli(["buy", "contract.pdf", "--url", url, ...args]);
const files = async () => (await readdir(dir)).sort();
const bought = () => readFile(join(dir, "contract-watermarked.pdf"));

/** Expects an exit code, the given words in the last line of stderr, and no result file. */
async function expectFailure({ code, stderr }: Run, expected: number, words: string): Promise<void> {
  expect([code, stderr.trim().split("\n").at(-1)]).toEqual([expected, expect.stringContaining(words)]);
  expect(stderr).not.toContain("    at ");
  expect(await files()).toEqual(["contract.pdf"]);
}

describe("overprint buy", () => {
  test.each([
    [["--text", "DRAFT", "--position", "top-right", "--opacity", "0.5", "--rotation", "-30", "--font-size", "30"]],
    [["--text", "社外秘", "--lang", "ja", "--template", "stamp"]],
    [["--image", LOGO, "--scale", "0.3", "--position", "bottom-right"]],
  ])("overprint buy writes the same bytes as overprint mark: %j", async (fields) => {
    expect((await buy(fields)).code).toBe(0);
    const marked = await cli(["mark", "contract.pdf", ...fields, "-o", "-"]);
    expect(Buffer.compare(await bought(), marked.bytes)).toBe(0);
  });

  test("overprint buy prints the price before the payment and the receipt after the payment", async () => {
    const { code, stdout, stderr } = await buy(["--text", "X"]);
    expect(code).toBe(0);
    expect(stderr).toBe(`0.05 USDC on base-sepolia (a test network), from ${PAYER} to ${PAYEE}\n`);
    expect(stdout.split("\n").map((line) => line.replace(/\d{4}-.*/, "…"))).toEqual([
      expect.stringMatching(/^contract-watermarked\.pdf: 4 pages, [\d,]+ bytes$/),
      `Paid 0.05 USDC on base-sepolia by ${PAYER}, development payment: no money moved`,
      "Link, until …",
      "",
    ]);
  });

  test("overprint buy --json prints only JSON on stdout, including the receipt and the idempotency key", async () => {
    const { stdout } = await buy(["--text", "X", "--json", "-o", "a.pdf"]);
    const { output, receipt, ...rest } = JSON.parse(stdout);
    expect(output).toMatchObject({ pages: 4, bytes: (await readFile(join(dir, "a.pdf"))).length });
    expect(receipt).toMatchObject({ success: true, network: "eip155:84532", payer: PAYER });
    const key = expect.stringMatching(/^[0-9a-f-]{36}$/);
    const summary = {
      operation: "watermark.text",
      cost: "0.05 USDC",
      notices: [],
      file: "a.pdf",
      idempotency_key: key,
    };
    expect(rest).toEqual(summary);
  });

  test("overprint buy reads the PDF from standard input and writes the result to standard output", async () => {
    const input = await readFile(CONTRACT);
    const run = await runProgram(["buy", "-", "--url", worker.url, "--text", "X"], { cwd: dir, input });
    expect(run.code).toBe(0);
    expect(run.bytes.subarray(0, 5).toString()).toBe("%PDF-");
    expect(run.stderr).toContain("standard output: 4 pages");
  });

  test("overprint buy uploads a file that is too large for the call, and writes the same bytes as overprint mark", async () => {
    const pdf = samePages(30, 400_000);
    expect(pdf.length).toBeGreaterThan(10e6);
    await writeFile(join(dir, "contract.pdf"), pdf);
    const { code, stderr } = await buy(["--text", "X"], proxy.url);
    expect([code, stderr.split("\n")]).toEqual([0, [expect.any(String), ""]]);
    expect(proxy.posted.every(({ bytes }) => bytes < 100_000)).toBe(true);
    const marked = await cli(["mark", "contract.pdf", "--text", "X", "-o", "-"]);
    expect(Buffer.compare(await bought(), marked.bytes)).toBe(0);
  });

  test("overprint buy uploads a file of more than 50 MB in parts", async () => {
    const pdf = samePages(130, 400_000);
    expect(pdf.length).toBeGreaterThan(UPLOADS.wholeBytes);
    await writeFile(join(dir, "contract.pdf"), pdf);
    proxy.posted.length = 0;
    const { code, stdout } = await buy(["--text", "X"], proxy.url);
    expect([code, stdout.split("\n")[0]]).toEqual([0, expect.stringContaining("130 pages")]);
    const sent = proxy.posted.map(({ path }) => path.replace(/\d{6}-[0-9a-f]+/, "ID"));
    expect(sent.filter((path) => path.includes("uploads"))).toEqual(["/v1/uploads", "/v1/uploads/ID/complete"]);
  });

  test("overprint buy accepts an upload handle in place of a file", async () => {
    const answer = await fetch(`${worker.url}/v1/uploads`, { method: "POST" });
    const { handle, upload } = (await answer.json()) as { handle: string; upload: { url: string } };
    await fetch(upload.url, { method: "PUT", body: await readFile(CONTRACT) });
    const { code } = await cli(["buy", handle, "--url", worker.url, "--text", "X"]);
    expect([code, await files()]).toEqual([0, ["contract.pdf", "document-watermarked.pdf"]]);
  });

  test("overprint buy repeats a call whose answer was lost, and its idempotency key then returns the same result", async () => {
    proxy.loseNextAnswer();
    proxy.posted.length = 0;
    const { code, stdout, stderr } = await buy(["--text", "X", "--json"], proxy.url);
    expect([code, stderr]).toEqual([0, expect.stringContaining("retrying in 1 s …")]);
    // The client sends one request to learn the price, and two requests to buy the mark.
    expect(proxy.posted).toHaveLength(3);
    const { output, idempotency_key: key } = JSON.parse(stdout);
    const again = await buy(["--text", "X", "--json", "--idempotency-key", key], proxy.url);
    expect(JSON.parse(again.stdout).output.url).toBe(output.url);
  });

  test.each([
    [{ status: 502, headers: {}, problem: {} }],
    [{ status: 503, headers: { "Retry-After": "1" }, problem: { code: "settlement_pending", detail: "Wait." } }],
    [{ status: 503, headers: { "Retry-After": "1" }, problem: { code: "facilitator_unavailable", detail: "Wait." } }],
  ])("overprint buy retries automatically after the answer %j", async (answer) => {
    proxy.loseNextAnswer(answer);
    const { code, stderr } = await buy(["--text", "X"], proxy.url);
    expect([code, stderr]).toEqual([0, expect.stringContaining("retrying in 1 s …")]);
    await bought();
  });

  test("overprint buy says how to continue when Ctrl-C stops it", async () => {
    proxy.loseNextAnswer({
      status: 503,
      headers: { "Retry-After": "60" },
      problem: { code: "too_busy", detail: "Wait." },
    });
    const child = startCli(["buy", "contract.pdf", "--url", proxy.url, "--text", "X"], { cwd: dir });
    let stderr = "";
    child.stderr.on("data", (chunk: Buffer) => {
      stderr += chunk;
      if (stderr.includes("retrying")) child.kill("SIGINT");
    });
    const [code] = await once(child, "close");
    expect(code).toBe(130);
    expect(stderr).toMatch(
      /stopped\. You may have paid: run the same command with --idempotency-key \S+ to get the file without paying twice/,
    );
    expect(await files()).toEqual(["contract.pdf"]);
  });

  test("overprint buy never pays more than --max-price", async () => {
    const words = "the price of 0.05 USDC is more than --max-price 0.049";
    await expectFailure(await buy(["--text", "X", "--max-price", "0.049"]), 1, words);
  });

  test("overprint buy rejects an invalid --idempotency-key before sending any request", async () => {
    proxy.posted.length = 0;
    const words = "--idempotency-key must be 1 to 255 printable ASCII characters";
    await expectFailure(await buy(["--text", "X", "--idempotency-key", "é"], proxy.url), 2, words);
    expect(proxy.posted).toEqual([]);
  });

  test("overprint buy pays on a mainnet only with --yes", async () => {
    const words = "base is a main network, with real money: add --yes to pay there";
    await expectFailure(await buy(["--text", "X"], mainnet.url), 1, words);
    expect((await buy(["--text", "X", "--network", "base-sepolia"], mainnet.url)).code).toBe(0);
    const run = await buy(["--text", "X", "--yes", "--network", "eip155:8453", "--json"], mainnet.url);
    expect(JSON.parse(run.stdout).receipt.network).toBe("eip155:8453");
  });

  const noPython = hasPython() ? "" : " (skipped: this machine has no python3, which opens the terminal)";
  test.skipIf(noPython).each([
    ["y\n", 0, "Paid 0.05 USDC on base "],
    ["\n", 1, "overprint: nothing was signed or charged"],
    ["\x04", 1, "overprint: nothing was signed or charged"],
    ["\x03", 130, "Pay? [y/N]"],
  ])(
    `overprint buy asks for confirmation on a terminal, and the input %j leads to exit code %d${noPython}`,
    async (answer, code, words) => {
      const python = `import os, pty, sys
pid, terminal = pty.fork()
if pid == 0: os.execvp(sys.argv[1], sys.argv[1:])
said, answered = b"", False
while True:
    try: part = os.read(terminal, 4096)
    except OSError: break
    if not part: break
    said += part
    if b"[y/N]" in said and not answered: answered = os.write(terminal, ${JSON.stringify(answer)}.encode())
print(said.decode())
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))`;
      const command = [join(root, "cli/overprint.js"), "buy", "contract.pdf", "--text", "X", "--url", mainnet.url];
      const ended = run("python3", ["-c", python, process.execPath, ...command], { cwd: dir }).catch(
        (error: Ended) => error,
      );
      const { code: actual = 0, stdout } = (await ended) as Ended;
      expect([actual, stdout]).toEqual([code, expect.stringContaining(words)]);
      expect(stdout).not.toContain("    at ");
    },
  );

  test("overprint buy rejects a network that the deployment does not offer", async () => {
    await expectFailure(
      await buy(["--text", "X", "--network", "base"]),
      1,
      "accepts no payment on base; it accepts base-sepolia",
    );
  });

  test("overprint buy pays with the key from a file or from PRIVATE_KEY", async () => {
    const key = `0x${"1".repeat(64)}`;
    await writeFile(join(dir, "key.txt"), `${key}\n`, { mode: 0o600 });
    const { stdout } = await buy(["--text", "X", "--json", "--key-file", "key.txt"]);
    expect(JSON.parse(stdout).receipt.payer).toBe("0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A");
    const { PRIVATE_KEY } = { PRIVATE_KEY: DEVELOPMENT_KEY };
    const run = await cli(["buy", "contract.pdf", "--url", worker.url, "--text", "Y", "--json"], {
      env: { PRIVATE_KEY },
    });
    expect(JSON.parse(run.stdout).receipt.payer).toBe(PAYER);
  });

  test("overprint buy reports an invalid file with the service's error message", async () => {
    await writeFile(join(dir, "contract.pdf"), "%PDF-1.7 and no more");
    await expectFailure(await buy(["--text", "X"]), 1, "PDF");
    await writeFile(join(dir, "contract.pdf"), "<html>");
    const run = await buy(["--text", "X"]);
    await expectFailure(run, 1, "This is a web page, not a PDF");
    expect(run.stderr.split("\n")).toHaveLength(2); // The program has neither requested a price nor signed anything.
  });

  test("overprint buy checks that the output path is writable before paying", async () => {
    await writeFile(join(dir, "full"), "");
    const run = await buy(["--text", "X", "-o", "full/a.pdf"]);
    expect([run.code, run.stderr.split("\n")]).toEqual([
      2,
      [expect.stringContaining("the folder full does not exist"), ""],
    ]);
  });
});

describe("malicious and broken deployments", () => {
  const serve = playedDeployments();
  const termsWith = (change: object) => changedTerms(worker.url, change);

  test.each([
    [
      "asks for more than --max-price",
      { amount: "100000001" },
      "the price of 100.000001 USDC is more than --max-price 0.10",
    ],
    ["asks for another token", { asset: PAYEE }, "accepts no payment that this program can make"],
    [
      "asks for a token allowance instead of a transfer",
      { extra: { assetTransferMethod: "permit2" } },
      "accepts no payment that this program can make",
    ],
    ["asks for payment on an unknown chain", { network: "eip155:1" }, "it accepts eip155:1"],
    ["asks for a payment that is valid too long", { maxTimeoutSeconds: 1e6 }, "valid for at most an hour"],
    ["names a negative price", { amount: "-1" }, "accepts no payment that this program can make"],
  ])("overprint buy does not pay a deployment that %s", async (_, change, words) => {
    const headers = await termsWith(change);
    let paid = 0;
    const url = await serve((request, response) => {
      if (request.headers["payment-signature"]) paid++;
      response.writeHead(402, headers).end("{}");
    });
    await expectFailure(await buy(["--text", "X"], url), 1, words);
    expect(paid).toBe(0);
  });

  test.each([
    ["buy", "in the terms of version 1", 1],
    ["pay", "in the terms of version 1", 1],
    ["buy", "in the terms of version 2", 2],
  ])(
    "overprint %s signs a payment only for the displayed price if the deployment states two prices: %s",
    async (command, _, version) => {
      const answer = await fetch(`${worker.url}/v1/watermark/text`, { method: "POST" });
      const header = decodePaymentRequiredHeader(answer.headers.get("PAYMENT-REQUIRED")!);
      const body = (await answer.json()) as { accepts: object[] };
      const prices =
        version === 1 ? { amount: "1", maxAmountRequired: "100000001" } : { maxAmountRequired: "100000001" };
      const changed = <Way extends object>(ways: Way[]): Way[] => ways.map((way) => ({ ...way, ...prices }));
      const headers = encodePaymentRequiredHeader({
        ...header,
        accepts: changed(header.accepts),
      });
      const signed: string[] = [];
      const url = await serve((request, response) => {
        const payment = request.headers["payment-signature"] ?? request.headers["x-payment"];
        if (payment) signed.push(String(payment));
        response.writeHead(402, version === 1 ? {} : { "PAYMENT-REQUIRED": headers });
        response.end(JSON.stringify({ ...body, accepts: changed(body.accepts) }));
      });
      if (command === "pay") signed.push((await cli(["pay", `${url}/v1/watermark/text`])).stdout);
      else await buy(["--text", "X"], url);
      const values = signed.filter(Boolean).map((header64) => {
        const { payload } = JSON.parse(Buffer.from(header64, "base64").toString());
        return payload.authorization.value;
      });
      expect(values).toEqual(version === 1 ? [] : ["50000"]);
    },
  );

  test("overprint buy reports a rejected payment", async () => {
    const headers = await termsWith({});
    const url = await serve((_, response) => response.writeHead(402, headers).end('{"error":"insufficient_funds"}'));
    await expectFailure(await buy(["--text", "X"], url), 1, "the payment was rejected: insufficient_funds");
  });

  test.each<[string, RequestListener, string]>([
    [
      "redirects callers",
      (_, response) => response.writeHead(307, { Location: "http://evil.example/" }).end(),
      "redirects to http://evil.example/",
    ],
    ["is an unrelated server", (_, response) => response.writeHead(200).end("hello"), "nothing is for sale at"],
    ["sends malformed terms", (_, response) => response.writeHead(402).end("<html>"), "are not valid x402"],
    [
      "is not configured",
      (_, response) => response.writeHead(503).end('{"code":"not_configured","detail":"Not\\nyet\\u001b[2J."}'),
      "Not yet [2J",
    ],
    [
      "speaks another protocol",
      (_, response) => response.writeHead(415).end('{"error":{"code":-32700}}'),
      "the answer (status 415) is not from an Overprint deployment",
    ],
    ["hangs up", (request) => request.socket.destroy(), "cannot be reached: "],
  ])("overprint buy and overprint pay print a one-line error if the deployment %s", async (_, listener, words) => {
    const url = await serve(listener);
    const run = await buy(["--text", "X"], url);
    await expectFailure(run, 1, words);
    expect(run.stderr.trim().split("\n")).toHaveLength(1);
    const paid = await cli(["pay", `${url}/v1/watermark/text`]);
    expect([paid.code, paid.stdout, paid.stderr.trim().split("\n")]).toEqual([1, "", [expect.stringContaining(words)]]);
  });

  test("overprint buy prints a one-line error if no server listens at the address", async () => {
    const words = "nothing listens there (`npm run dev` in a clone starts a deployment on this machine)";
    await expectFailure(await buy(["--text", "X"], `http://127.0.0.1:${await freePort()}`), 1, words);
  });

  test("overprint buy prints a one-line error if the server at an https address does not use https", async () => {
    const url = await serve(() => undefined);
    await expectFailure(
      await buy(["--text", "X"], url.replace("http:", "https:")),
      1,
      "the server there does not use https",
    );
  });

  /**
   * Starts a deployment that sells. The arguments change the sale's result, its response headers, and the answer to an
   * upload request.
   */
  async function seller({ output = {}, headers = {}, upload = {} }: Record<string, object>): Promise<string> {
    const terms = await termsWith({});
    const url: string = await serve((request, response) => {
      request.resume();
      if (request.url === "/file") return response.writeHead(200).end("%PDF-1.7\n");
      if (request.url === "/endless") {
        const sending = setInterval(() => response.write(Buffer.alloc(1e6)), 5);
        return request.socket.on("close", () => clearInterval(sending));
      }
      if (!request.headers["payment-signature"]) return response.writeHead(402, terms).end("{}");
      if (request.url === "/v1/uploads") return response.writeHead(201).end(JSON.stringify(upload));
      const sold = { url: `${url}/file`, expires_at: "2026-12-01T00:00:00.000Z", pages: 4, bytes: 9, ...output };
      const answer = { output: sold, operation: "watermark.text", cost: "0.05 USDC" };
      return response.writeHead(200, headers as Record<string, string>).end(JSON.stringify(answer));
    });
    return url;
  }

  test("overprint buy stops downloading a file that never ends", async () => {
    const output = { url: "" };
    const url = await seller({ output });
    output.url = `${url}/endless`;
    await expectFailure(await buy(["--text", "X"], url), 3, "received more than the expected 9 bytes");
  });

  test("overprint buy prints a one-line error if an answer never ends", async () => {
    const url = await serve((request, response) => {
      response.writeHead(402);
      const sending = setInterval(() => response.write("x".repeat(1e6)), 5);
      request.socket.on("close", () => clearInterval(sending));
    });
    await expectFailure(await buy(["--text", "X"], url), 1, "are not valid x402");
  });

  test("overprint buy saves the file even if the receipt is malformed or the answer has an unknown notice", async () => {
    const headers = { "PAYMENT-RESPONSE": "!", "Overprint-Notice": "constructor" };
    const url = await seller({ headers });
    const { code, stdout } = await buy(["--text", "X"], url);
    expect([code, stdout.split("\n")[1]]).toEqual([0, "constructor"]);
  });

  test.each([
    ["no upload URL", {}],
    ["an upload URL with another scheme", { handle: "upload:a", upload: { url: "ftp://127.0.0.1/put", headers: {} } }],
    ["an unencrypted upload URL", { handle: "upload:a", upload: { url: "http://pdf.example.com/put", headers: {} } }],
  ])("overprint buy uploads nothing if the answer to the upload request contains %s", async (_, upload) => {
    await writeFile(join(dir, "contract.pdf"), samePages(30, 400_000));
    const run = await buy(["--text", "X"], await seller({ upload }));
    await expectFailure(run, 1, "the answer to an upload was cut off, or is not from an Overprint deployment");
  });

  test("overprint buy and overprint pay give up after 30 seconds without an answer and sign nothing", async () => {
    const timeout = vi.spyOn(AbortSignal, "timeout");
    timeout.mockImplementation(() => AbortSignal.abort(new DOMException("", "TimeoutError")));
    try {
      const url = await serve(() => undefined);
      const words = `overprint: ${url} cannot be reached: no answer for 30 seconds`;
      await expectFailure(await buy(["--text", "X"], url), 1, words);
      const paid = await cli(["pay", `${url}/v1/watermark/text`]);
      expect([paid.code, paid.stdout, paid.stderr]).toEqual([1, "", `${words}\n`]);
      expect(timeout.mock.calls).toEqual([[30_000], [30_000]]);
    } finally {
      timeout.mockRestore();
    }
  });

  test.each(["http://pdf.example.com/file", "http://169.254.169.254/", "ftp://127.0.0.1/file", "file:///etc/passwd"])(
    "overprint buy prints the unsafe link %s but does not open it",
    async (link) => {
      const url = await seller({ output: { url: link } });
      const run = await buy(["--text", "X"], url);
      const words = `the file is at ${link} until 2026-12-01T00:00:00.000Z`;
      await expectFailure(run, 3, words);
      expect(run.stderr).toContain("you have paid, but the link does not use https and was not opened");
    },
  );

  test("overprint buy reports an incomplete download and does not pay again", async () => {
    const sold = {
      output: { url: "", expires_at: "2026-12-01T00:00:00.000Z", pages: 4, bytes: 9 },
      operation: "watermark.text",
      cost: "0.05 USDC",
    };
    const headers = await termsWith({});
    const url: string = await serve((request, response) => {
      if (request.url === "/gone") return response.writeHead(200).end("%PDF");
      if (!request.headers["payment-signature"]) return response.writeHead(402, headers).end("{}");
      sold.output.url = `${url}/gone`;
      return response.writeHead(200).end(JSON.stringify(sold));
    });
    const run = await buy(["--text", "X"], url);
    await expectFailure(
      run,
      3,
      `received only 4 of 9 bytes; the file is at ${url}/gone until 2026-12-01T00:00:00.000Z`,
    );
  });
});

describe("overprint pay", () => {
  test.each(["/v1/watermark/text", "/v1/watermark/image"])(
    "overprint pay signs a payment that the endpoint %s accepts",
    async (path) => {
      const { code, stdout } = await cli(["pay", worker.url + path]);
      expect(code).toBe(0);
      const form = new FormData();
      form.set("file", new File([await readFile(CONTRACT)], "a.pdf"));
      if (path.endsWith("text")) form.set("text", "X");
      else form.set("image", new File([await readFile(LOGO)], "a.png"));
      const headers = { "X-PAYMENT": stdout.trim(), "Idempotency-Key": crypto.randomUUID() };
      const answer = await fetch(worker.url + path, { method: "POST", headers, body: form });
      expect([answer.status, answer.headers.has("X-PAYMENT-RESPONSE")]).toEqual([200, true]);
    },
  );

  test("overprint pay signs a payment that permits a large upload", async () => {
    const { stdout } = await cli(["pay", `${worker.url}/v1/uploads`, "--json"]);
    const { header, value, ...rest } = JSON.parse(stdout);
    expect([header, rest]).toEqual([
      "X-PAYMENT",
      { price: "0.05 USDC", network: "base-sepolia", from: PAYER, to: PAYEE },
    ]);
    const request = { method: "POST", headers: { [header]: value }, body: JSON.stringify({ size: 20e6 }) };
    expect((await fetch(`${worker.url}/v1/uploads`, request)).status).toBe(201);
  });

  test.each(["/", "/v1/limits", "/v1/nothing"])(
    "overprint pay reports that nothing is for sale at %s",
    async (path) => {
      const { code, stdout, stderr } = await cli(["pay", worker.url + path]);
      expect([code, stdout, stderr.trim().split("\n")]).toEqual([
        1,
        "",
        [expect.stringContaining("nothing is for sale")],
      ]);
    },
  );
});
