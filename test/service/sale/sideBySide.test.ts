import { afterEach, expect, test, vi } from "vitest";
import { callPaid, IMAGE } from "../../support/client.ts";

afterEach(() => vi.restoreAllMocks());

const PDF = "https://files.example.com/one-page.pdf";

/** Records the fetched addresses and the number of aborted transfers. */
function watched() {
  const { fetch } = globalThis;
  const seen = { asked: [] as string[], aborted: 0 };
  vi.spyOn(globalThis, "fetch").mockImplementation((input, init) => {
    seen.asked.push(String(input));
    init?.signal?.addEventListener("abort", () => seen.aborted++);
    return fetch(input, init);
  });
  return seen;
}

test("a call fetches its PDF and its image once each", async () => {
  const { asked } = watched();
  const image = "https://files.example.com/red.png";
  expect((await callPaid(IMAGE, { file: PDF, image })).status).toBe(200);
  expect(asked.toSorted()).toEqual([PDF, image]);
});

test.each([
  [
    "an image that never arrives",
    "not_a_pdf",
    { file: "https://files.example.com/page.html", image: "https://files.example.com/slow.pdf" },
  ],
  [
    "a PDF that never arrives",
    "source_unreachable",
    { file: "https://files.example.com/slow.pdf", image: "https://files.example.com/no.png" },
  ],
])("a call does not wait for %s once its other file is known to be unusable", async (_, code, fields) => {
  const seen = watched();
  const answer = await callPaid(IMAGE, fields);
  expect((await answer.json<{ code: string }>()).code).toBe(code);
  expect(seen.aborted).toBeGreaterThan(0);
});
