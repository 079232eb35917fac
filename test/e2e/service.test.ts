import { ExactEvmScheme } from "@x402/evm/exact/client";
import { wrapFetchWithPaymentFromConfig } from "@x402/fetch";
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callPaid, paymentFor } from "../../scripts/lib/pay.ts";
import { samplePdf } from "../../scripts/lib/samplePdf.ts";
import { DEVELOPMENT_KEY } from "../../src/payments/facilitators/localFacilitator.ts";
import { result } from "../../src/service/request/schemas.ts";
import { MAGENTA } from "../support/stamp.ts";
import { type StartedWorker, startWorker } from "../support/worker.ts";
import { render } from "./render.ts";

let worker: StartedWorker;
let sample: Uint8Array<ArrayBuffer>;
beforeAll(async () => {
  [worker, sample] = await Promise.all([startWorker(), samplePdf().then((pdf) => new Uint8Array(pdf))]);
});
afterAll(() => worker?.stop());

const isMagenta = ([r, g, b]: [number, number, number]) => r > 240 && g < 15 && b > 240;
/**
 * Returns whether a pixel belongs to the mark. Lighter shades than those of `isMagenta` are accepted, because thin
 * strokes are rendered lighter.
 */
const isInk = ([r, g, b]: [number, number, number]) => r > 230 && g < 200 && b > 230;
const endpoint = (kind: "text" | "image") => `${worker.url}/v1/watermark/${kind}`;

function formOf(fields: Record<string, string | File>): FormData {
  const form = new FormData();
  form.set("file", new File([sample], "sample.pdf"));
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
}

async function outputOf(response: Response): Promise<Uint8Array> {
  const { output } = result.parse(await response.json());
  return new Uint8Array(await (await fetch(output.url)).arrayBuffer());
}

test("the official client pays for both operations using only the 402 response, and gets the PDF", async () => {
  const account = privateKeyToAccount(DEVELOPMENT_KEY);
  const payingFetch = wrapFetchWithPaymentFromConfig(fetch, {
    schemes: [{ network: "eip155:84532", client: new ExactEvmScheme(account) }],
  });
  for (const [kind, form] of [
    ["text", formOf({ text: "PAID" })],
    ["image", formOf({ image: new File([MAGENTA], "m.png") })],
  ] as const) {
    const response = await payingFetch(endpoint(kind), { method: "POST", body: form });
    expect(response.status).toBe(200);
    expect(JSON.parse(atob(response.headers.get("PAYMENT-RESPONSE")!))).toMatchObject({
      success: true,
      payer: account.address,
    });
    expect(await render(await outputOf(response))).toHaveLength(4);
  }
});

test("the service asks for a new payment if a settled payment is sent with a different call", async () => {
  const payment = await paymentFor(endpoint("text"));
  expect((await callPaid(endpoint("text"), formOf({ text: "ONE" }), payment)).status).toBe(200);
  const second = await callPaid(endpoint("text"), formOf({ text: "TWO" }), payment);
  expect(second.status).toBe(402);
  expect(await second.json()).toMatchObject({ error: expect.stringMatching(/^payment_already_used: /) });
});

describe("image positions on upright, landscape, rotated and cropped pages", () => {
  const near = (position: string) => ({
    left: position.endsWith("left"),
    right: position.endsWith("right"),
    top: position.startsWith("top"),
    bottom: position.startsWith("bottom"),
  });

  test.each(["top-left", "top", "top-right", "left", "center", "right", "bottom-left", "bottom", "bottom-right"])(
    "the service puts an image at the requested position on upright, landscape, rotated and cropped pages: %s",
    async (position) => {
      const form = formOf({ image: new File([MAGENTA], "m.png"), position, scale: "0.2", opacity: "1" });
      const pages = await render(await outputOf(await callPaid(endpoint("image"), form)));
      expect(pages).toHaveLength(4);
      for (const { width, height, boxOf } of pages) {
        const box = boxOf(isMagenta)!;
        expect(box.right - box.left).toBeCloseTo(0.2, 1.5);
        expect((box.bottom - box.top) * height).toBeCloseTo((box.right - box.left) * width, -0.5);
        const { left, right, top, bottom } = near(position);
        if (left) expect(box.left * width).toBeCloseTo(24, -0.5);
        else if (right) expect((1 - box.right) * width).toBeCloseTo(24, -0.5);
        else expect((box.left + box.right) / 2).toBeCloseTo(0.5, 2);
        if (top) expect(box.top * height).toBeCloseTo(24, -0.5);
        else if (bottom) expect((1 - box.bottom) * height).toBeCloseTo(24, -0.5);
        else expect((box.top + box.bottom) / 2).toBeCloseTo(0.5, 2);
      }
    },
  );
});

test("an image rotated by 45 degrees at the position bottom-right touches the right and bottom margins", async () => {
  const fields = {
    image: new File([MAGENTA], "m.png"),
    position: "bottom-right",
    scale: "0.2",
    rotation: "45",
    opacity: "1",
  };
  for (const { width, height, boxOf, at } of await render(
    await outputOf(await callPaid(endpoint("image"), formOf(fields))),
  )) {
    const box = boxOf(isMagenta)!;
    expect(box.right - box.left).toBeCloseTo(0.2 * Math.SQRT2, 1.5);
    expect((1 - box.right) * width).toBeCloseTo(24, -0.8);
    expect((1 - box.bottom) * height).toBeCloseTo(24, -0.8);
    expect(isMagenta(at(box.left + 0.01, box.top + 0.01))).toBe(false);
    expect(isMagenta(at((box.left + box.right) / 2, (box.top + box.bottom) / 2))).toBe(true);
  }
});

describe("positions of text templates", () => {
  const inked = async (fields: Record<string, string>) => {
    const form = formOf({ text: "CONFIDENTIAL", opacity: "1", color: "#ff00ff", ...fields });
    return (await render(await outputOf(await callPaid(endpoint("text"), form)))).map((page) => ({
      ...page,
      box: page.boxOf(isInk)!,
    }));
  };

  test("a diagonal text runs from the lower left to the upper right inside the page", async () => {
    for (const { box, at } of await inked({})) {
      expect(box.left).toBeGreaterThan(0.02);
      expect(box.right).toBeLessThan(0.98);
      expect(box.bottom - box.top).toBeGreaterThan(0.6);
      expect(box.right - box.left).toBeGreaterThan(0.6);
      for (const corner of [at(0.15, 0.15), at(0.85, 0.85)]) expect(isMagenta(corner)).toBe(false);
    }
  });

  test.each([
    ["header", 0, 0.1],
    ["footer", 0.9, 1],
  ])(
    "the template %s draws a horizontally centered text in the top or bottom tenth of the page",
    async (template, least, most) => {
      for (const { box } of await inked({ template })) {
        expect(box.top).toBeGreaterThan(least);
        expect(box.bottom).toBeLessThan(most);
        expect((box.left + box.right) / 2).toBeCloseTo(0.5, 1.5);
      }
    },
  );
});
