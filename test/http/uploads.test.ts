import { afterEach, describe, expect, test, vi } from "vitest";
import { signPayment } from "../../scripts/lib/pay.ts";
import { sha256 as hashOf } from "../../src/shared/sha256.ts";
import { isEqual, noise } from "../support/bytes.ts";
import { callPaid, IMAGE, offerOf, send, TEXT } from "../support/client.ts";
import { onePage } from "../support/pdf.ts";
import { RED_PNG } from "../support/png.ts";
import { bucket, emptyBucket, storedKeys } from "../support/storage.ts";

interface Offered {
  handle: string;
  upload: { transport: string; method: string; url: string; headers: Record<string, string> };
  curl: string;
  expires_at: string;
}

const HOUR = 3_600_000;
const ask = (fields?: object, headers: Record<string, string> = {}) =>
  send("/v1/uploads", { method: "POST", headers, ...(fields && { body: JSON.stringify(fields) }) });
const opened = async (fields?: object): Promise<Offered> => {
  const response = await ask(fields);
  expect(response.status).toBe(201);
  return response.json();
};
const put = ({ upload }: Offered, body: BodyInit, headers = {}) =>
  send(upload.url, { method: "PUT", body, headers: { ...upload.headers, ...headers } });
const pdf = { name: "a.pdf", size: onePage.length };
const png = { name: "a.png", size: RED_PNG.length, type: "image" };
const later = (ms: number) => vi.spyOn(Date, "now").mockReturnValue(Date.now() + ms);
const codeOf = async (response: Response) => {
  expect(response.headers.get("Content-Type")).toBe("application/problem+json");
  const problem = await response.json<{ code: string; status: number }>();
  expect(problem.status).toBe(response.status);
  return [problem.status, problem.code];
};

afterEach(async () => {
  vi.restoreAllMocks();
  await emptyBucket();
});

describe("an upload", () => {
  test("an upload request returns a URL, and a handle for any number of calls", async () => {
    const offered = await opened(pdf);
    expect(offered).toEqual({
      handle: expect.stringMatching(/^upload:\d{6}-[0-9a-f]{32}$/),
      upload: {
        transport: "https",
        method: "PUT",
        url: expect.stringMatching(/^http:\/\/localhost\/v1\/uploads\/\d{6}-[0-9a-f]{32}$/),
        headers: { "Content-Type": "application/pdf", "Content-Length": String(onePage.length) },
      },
      curl: `curl -g -T 'a.pdf' -H 'Content-Type: application/pdf' '${offered.upload.url}'`,
      expires_at: expect.any(String),
    });
    expect(Math.abs(Date.parse(offered.expires_at) - Date.now() - HOUR)).toBeLessThan(30_000);
    const received = await (await put(offered, onePage)).json();
    expect(received).toEqual({ bytes: onePage.length, sha256: await hashOf(onePage), expires_at: offered.expires_at });
    for (const text of ["ANNE", "BOB"]) {
      const response = await callPaid(TEXT, { file: offered.handle, text });
      expect(await response.json()).toMatchObject({ output: { pages: 1 } });
    }
  });

  test("the service replaces {filename} in a text by the name of the upload", async () => {
    const offered = await opened({ ...pdf, name: "Offer 7.pdf" });
    await put(offered, onePage);
    const markedWith = async (text: string) => {
      const { output } = await (await callPaid(TEXT, { file: offered.handle, text })).json<{
        output: { url: string };
      }>();
      return new Uint8Array(await (await send(output.url)).arrayBuffer());
    };
    expect(isEqual(await markedWith("{filename}"), await markedWith("Offer 7.pdf"))).toBe(true);
  });

  test("the service accepts an upload of a PDF if the upload request contains no type and no size", async () => {
    const offered = await opened();
    expect(offered.upload.headers).toEqual({ "Content-Type": "application/pdf" });
    expect(await (await put(offered, onePage)).json()).toMatchObject({ bytes: onePage.length });
  });

  test("the service accepts the handle of an uploaded image as `image`", async () => {
    const [file, image] = [await opened(pdf), await opened(png)];
    await put(file, onePage);
    await put(image, RED_PNG);
    const response = await callPaid(IMAGE, { file: file.handle, image: image.handle });
    expect(await response.json()).toMatchObject({ output: { pages: 1 }, operation: "watermark.image" });
  });

  test("the service accepts an upload handle in a form field", async () => {
    const offered = await opened(pdf);
    await put(offered, onePage);
    const form = new FormData();
    form.set("file", offered.handle);
    form.set("text", "A");
    expect(await (await callPaid(TEXT, form)).json()).toMatchObject({ output: { pages: 1 } });
  });

  test("a repeated call with its payment and idempotency key gets the first result even if the upload was deleted", async () => {
    const offered = await opened(pdf);
    await put(offered, onePage);
    const payment = await signPayment(await offerOf(TEXT));
    const call = async () => (await callPaid(TEXT, { file: offered.handle, text: "A" }, payment, "key")).json();
    const first = await call();
    expect(first).toMatchObject({ output: { pages: 1 } });
    await bucket.delete(await storedKeys("uploads/"));
    expect(await call()).toEqual(first);
  });

  test.each([
    ["it's mine.pdf", `'it'\\''s mine.pdf'`],
    ["$(reboot).pdf", "'$(reboot).pdf'"],
    ['a" `b`.pdf', "'a\" `b`.pdf'"],
  ])("the curl command of an upload quotes the file name %s for the shell", async (name, word) => {
    const { curl, upload } = await opened({ name });
    expect(curl).toBe(`curl -g -T ${word} -H 'Content-Type: application/pdf' '${upload.url}'`);
  });

  test.each([
    [{ name: "a/b.pdf" }, "name"],
    [{ name: "" }, "name"],
    [{ name: "a\nb.pdf" }, "name"],
    [{ size: 0 }, "size"],
    [{ size: 1.5 }, "size"],
    [{ size: "18211" }, "size"],
    [{ type: "application/pdf" }, "type", "must be pdf or image"],
    [{ file: "a.pdf" }, "file"],
  ])(
    "the service rejects an upload request with the invalid field %j",
    async (fields, path, message = expect.any(String)) => {
      const response = await ask(fields);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ code: "invalid_request", errors: [{ path, message }] });
    },
  );

  test.each([
    [{ size: 1_000_000_001 }, "source_too_large"],
    [{ size: 10_000_001, type: "image" }, "image_too_large"],
  ])("the service rejects an upload request for a file over the size limit: %j", async (fields, code) => {
    expect(await codeOf(await ask(fields))).toEqual([413, code]);
  });

  test("the service rejects an upload request that is too long or not JSON", async () => {
    for (const [body, status, code] of [
      [onePage, 400, "invalid_request"],
      [new Uint8Array(20_000), 413, "body_too_large"],
    ] as const) {
      const response = await send("/v1/uploads", { method: "POST", body });
      expect(response.status).toBe(status);
      const problem = await response.json<{ code: string; detail: string }>();
      expect(problem.code).toBe(code);
      expect(problem.detail).toMatch(
        /Send an object such as .*, then send the file to the upload URL of the response\.$/,
      );
    }
  });
});

describe("the file of an upload", () => {
  test("an upload rejects a second file and leaves the first file unchanged", async () => {
    const offered = await opened({ name: "a.pdf" });
    await put(offered, onePage);
    const before = await storedKeys("uploads/");
    const other = new Uint8Array([...onePage, 0x0a]);
    expect(await codeOf(await put(offered, other))).toEqual([409, "upload_used"]);
    expect(await storedKeys("uploads/")).toEqual(before);
  });

  test("an upload stores the bytes unchanged", async () => {
    const bytes = noise(3_000_000);
    bytes.set(new TextEncoder().encode("%PDF-1.7"));
    const offered = await opened({ size: bytes.length });
    const { sha256 } = await (await put(offered, bytes)).json<{ sha256: string }>();
    const [, file] = (await storedKeys("uploads/")) as [string, string];
    const stored = new Uint8Array(await (await bucket.get(file, {}))!.arrayBuffer());
    expect(isEqual(stored, bytes)).toBe(true);
    expect(sha256).toBe(await hashOf(bytes));
  });

  test("an upload stores only one of several files sent to its URL concurrently", async () => {
    const offered = await opened({ name: "a.pdf" });
    const answers = await Promise.all(Array.from({ length: 8 }, () => put(offered, onePage)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(7).fill(409)]);
    expect(await storedKeys("uploads/")).toHaveLength(2);
  });

  test.each([-1, 1])(
    "an upload stores nothing if the announced length differs from the requested size by %i byte",
    async (more) => {
      const offered = await opened({ ...pdf, size: onePage.length + more });
      expect(await codeOf(await put(offered, onePage, { "Content-Length": String(onePage.length) }))).toEqual([
        400,
        "upload_length_wrong",
      ]);
      expect(await storedKeys("uploads/")).toHaveLength(1);
    },
  );

  test("an upload rejects a file without Content-Length, and an empty file", async () => {
    const offered = await opened();
    const stream = new Response(onePage).body!.pipeThrough(new TransformStream());
    expect(await codeOf(await put(offered, stream))).toEqual([400, "upload_length_wrong"]);
    expect(await codeOf(await put(offered, new Uint8Array()))).toEqual([400, "upload_length_wrong"]);
  });

  test("an upload whose request states no size accepts at most 10 MB, the maximum size of a free upload", async () => {
    const offered = await opened();
    expect(await codeOf(await put(offered, new Uint8Array(10_000_001)))).toEqual([413, "source_too_large"]);
    const image = await opened({ type: "image" });
    expect(await codeOf(await put(image, new Uint8Array(10_000_001)))).toEqual([413, "image_too_large"]);
  });

  test.each([
    ["an image", pdf.name, "pdf", RED_PNG, "not_a_pdf"],
    ["a web page", pdf.name, "pdf", new TextEncoder().encode("<!doctype html><html><body>Sign in"), "not_a_pdf"],
    ["a zip archive", pdf.name, "pdf", new TextEncoder().encode("PK\x03\x04..."), "not_a_pdf"],
    ["a text", pdf.name, "pdf", new TextEncoder().encode("hello\n"), "not_a_pdf"],
    ["bytes of an unknown format", pdf.name, "pdf", new Uint8Array(2000).fill(0x81), "not_a_pdf"],
    ["a PDF", png.name, "image", onePage, "unsupported_image"],
    ["a GIF", png.name, "image", new TextEncoder().encode("GIF89a..."), "unsupported_image"],
  ])(
    "an upload rejects %s under the name %s, and then accepts a file of the right format",
    async (_, name, type, bytes, code) => {
      const offered = await opened({ name, type });
      expect(await codeOf(await put(offered, bytes))).toEqual([422, code]);
      expect(await storedKeys("uploads/")).toHaveLength(1);
      expect((await put(offered, type === "pdf" ? onePage : RED_PNG)).status).toBe(200);
    },
  );
});

describe("an upload handle", () => {
  const mark = (file: string) => callPaid(TEXT, { file, text: "A" });

  test.each(["upload:", "upload:a", "upload:495901-0123", `upload:495901-${"g".repeat(32)}`, "upload:../results/1"])(
    "the service returns 404 for the malformed upload handle %s",
    async (handle) => {
      expect(await codeOf(await mark(handle))).toEqual([404, "upload_not_found"]);
    },
  );

  test("the service rejects an upload handle that is guessed or derived from the id of the upload URL", async () => {
    const { handle, upload } = await opened(pdf);
    await put({ upload } as Offered, onePage);
    const id = upload.url.split("/").at(-1)!;
    expect(handle).not.toContain(id.slice(7));
    expect(await codeOf(await mark(`upload:${id}`))).toEqual([404, "upload_not_found"]);
    const guess = handle.slice(0, -1) + (handle.endsWith("0") ? "1" : "0");
    expect(await codeOf(await mark(guess))).toEqual([404, "upload_not_found"]);
    expect(await codeOf(await send(`/v1/uploads/${handle.slice(7)}`, { method: "PUT", body: onePage }))).toEqual([
      404,
      "upload_not_found",
    ]);
  });

  test("the service rejects an upload handle without an uploaded file, and leaves the payment usable", async () => {
    const offered = await opened(pdf);
    const payment = await signPayment(await offerOf(TEXT));
    const call = () => callPaid(TEXT, { file: offered.handle, text: "A" }, payment);
    expect(await codeOf(await call())).toEqual([409, "upload_empty"]);
    await put(offered, onePage);
    expect(await (await call()).json()).toMatchObject({ cost: "0.05 USDC" });
  });

  test("an upload handle and its URL expire after an hour, and the uploaded file cannot be downloaded", async () => {
    const [offered, unused] = [await opened(pdf), await opened(pdf)];
    await put(offered, onePage);
    const file = (await storedKeys("uploads/")).find((key) => key.split("-").length === 3)!;
    for (const path of [
      offered.upload.url,
      `/v1/uploads/${file.split("/").at(-1)}`,
      `/v1/files/${file.split("/").at(-1)}.pdf`,
    ]) {
      const response = await send(path, { headers: { Accept: "*/*" } });
      expect(await response.text()).not.toContain("%PDF");
    }
    later(HOUR + 1000);
    expect(await codeOf(await mark(offered.handle))).toEqual([410, "upload_expired"]);
    expect(await codeOf(await put(unused, onePage))).toEqual([410, "upload_expired"]);
    vi.restoreAllMocks();
    later(2 * HOUR);
    await emptyBucket(); // Deletes the expired upload, as the sweep would.
    expect(await codeOf(await put(unused, onePage))).toEqual([410, "upload_expired"]);
  });

  test("the service rejects a PDF's handle as `image` and an image's handle as `file`", async () => {
    const [file, image] = [await opened(pdf), await opened(png)];
    await put(file, onePage);
    await put(image, RED_PNG);
    expect(await codeOf(await callPaid(IMAGE, { file: file.handle, image: file.handle }))).toEqual([
      422,
      "unsupported_image",
    ]);
    expect(await codeOf(await callPaid(TEXT, { file: image.handle, text: "A" }))).toEqual([422, "not_a_pdf"]);
  });

  test("the log contains neither the upload handle nor the upload URL", async () => {
    const lines = vi.spyOn(console, "log");
    const offered = await opened(pdf);
    await put(offered, onePage);
    await put(offered, onePage);
    await mark(offered.handle);
    await mark(`${offered.handle}0`);
    await send(offered.upload.url);
    const logged = lines.mock.calls.flat().join("\n");
    expect(logged).toContain('"/v1/uploads/:id"');
    expect(logged).not.toContain(offered.handle.slice(7));
    expect(logged).not.toContain(offered.upload.url.split("/").at(-1));
  });
});

describe("the upload page", () => {
  const page = async (offered: Offered) => {
    const response = await send(offered.upload.url, { headers: { Accept: "text/html" } });
    return { response, html: await response.text() };
  };

  test("the upload page has a strict CSP, and shows a file input until the file is uploaded", async () => {
    const offered = await opened({ ...pdf, name: "<b>it's.pdf" });
    const { response, html } = await page(offered);
    expect(response.headers.get("Content-Type")).toContain("text/html");
    const policy = response.headers.get("Content-Security-Policy")!.split("; ");
    expect(policy).toEqual(expect.arrayContaining(["default-src 'none'", "script-src 'self'", "connect-src 'self'"]));
    expect(policy.join()).not.toContain("unsafe");
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    expect(response.headers.get("Referrer-Policy")).toBe("no-referrer");
    expect(html).toContain("&lt;b&gt;it&#39;s.pdf");
    expect(html).toContain('type="file"');
    expect(html).not.toContain(offered.handle);
    await put(offered, onePage);
    expect((await page(offered)).html).not.toContain('type="file"');
  });

  test("the service shows an error page for the URL of an unknown upload", async () => {
    const response = await send(`/v1/uploads/495901-${"0".repeat(32)}`, { headers: { Accept: "text/html" } });
    expect([response.status, response.headers.get("Content-Type")]).toEqual([410, "text/html; charset=UTF-8"]);
  });
});
