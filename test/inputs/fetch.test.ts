import { afterEach, describe, expect, test, vi } from "vitest";
import { type FetchRules, openAddress } from "../../src/inputs/fetch.ts";
import { UPLOAD_FIRST } from "../../src/inputs/upload.ts";
import { forbiddenUrls } from "../support/forbiddenUrls.ts";

const rules: FetchRules = { timeoutMs: 5000, allowLoopback: false };
const on = (path: string) => `https://files.example.com${path}`;
const detailOf = (words: string) => ({ detail: expect.stringContaining(words) });

afterEach(() => void vi.restoreAllMocks());

describe("openAddress and forbidden URLs", () => {
  test.each(forbiddenUrls(8080))(
    "openAddress rejects the URL %s with source_not_allowed and sends no request, because %s",
    async (url, rule) => {
      const fetched = vi.spyOn(globalThis, "fetch");
      await expect(openAddress(url, rules)).rejects.toMatchObject({
        code: "source_not_allowed",
        detail: `The URL may not be fetched: ${rule}. Use a public http(s) URL, or send the file itself: ${UPLOAD_FIRST}.`,
      });
      expect(fetched).not.toHaveBeenCalled();
    },
  );
});

describe("openAddress and redirects", () => {
  test("openAddress rejects a redirect to a blocked host", async () => {
    const blocked = { ...rules, blockedHosts: ["blocked.example.com"] };
    const target = encodeURIComponent("https://cdn.blocked.example.com/a.pdf");
    await expect(openAddress(on(`/to?${target}`), blocked)).rejects.toMatchObject({
      code: "source_not_allowed",
      ...detailOf("redirect target may not be fetched: the operator has blocked its host"),
    });
  });

  test("openAddress follows three redirects", async () => {
    const { response } = await openAddress(on("/hops/3"), rules);
    expect(response.status).toBe(200);
  });

  test("openAddress rejects a fourth redirect", async () => {
    await expect(openAddress(on("/hops/4"), rules)).rejects.toMatchObject({
      code: "source_unreachable",
      ...detailOf("more than 3 times"),
    });
  });

  test.each(["/loop.pdf", "/loop.pdf#1", "/there.pdf"])(
    "openAddress rejects a redirect loop as soon as a URL is repeated: %s",
    async (path) => {
      const fetched = vi.spyOn(globalThis, "fetch");
      await expect(openAddress(on(path), rules)).rejects.toMatchObject({
        code: "source_unreachable",
        ...detailOf("in a loop"),
      });
      expect(fetched.mock.calls.length).toBeLessThanOrEqual(2);
    },
  );

  const sendable = forbiddenUrls(8080).filter(
    ([url, rule]) =>
      /^[\x21-\x7e]{1,4000}$/.test(url) && rule !== "it is not a valid URL" && /^\w+:(\/|\w+:\/)/.test(url),
  );
  test.each([...sendable, ["//127.0.0.1:8080/", "it names an IP address instead of a host"]] as const)(
    "openAddress checks the target of a redirect like any other URL: it rejects %s, because %s",
    async (url, rule) => {
      const fetched = vi.spyOn(globalThis, "fetch");
      await expect(openAddress(`http://files.example.com/to?${encodeURIComponent(url)}`, rules)).rejects.toMatchObject({
        code: "source_not_allowed",
        detail: `The URL's redirect target may not be fetched: ${rule}. Use a public http(s) URL, or send the file itself: ${UPLOAD_FIRST}.`,
      });
      expect(fetched).toHaveBeenCalledOnce();
    },
  );

  test("openAddress rejects a redirect from https to http", async () => {
    await expect(openAddress(on("/to?http://files.example.com/one-page.pdf"), rules)).rejects.toMatchObject({
      code: "source_not_allowed",
      ...detailOf("it changes from https to http"),
    });
  });

  test("openAddress reports a redirect to an invalid URL as source_unreachable", async () => {
    await expect(openAddress(on("/to?http://["), rules)).rejects.toMatchObject({
      code: "source_unreachable",
      ...detailOf("an invalid URL"),
    });
  });

  test("openAddress rejects a redirect from another host to a loopback address, even with allowLoopback", async () => {
    const fetched = vi.spyOn(globalThis, "fetch");
    await expect(
      openAddress("http://files.example.com/to?http://127.0.0.1:8080/", { ...rules, allowLoopback: true }),
    ).rejects.toMatchObject({ code: "source_not_allowed", ...detailOf("it names an IP address") });
    expect(fetched).toHaveBeenCalledOnce();
  });
});

describe("openAddress and answers other than 200", () => {
  test.each([
    [401, "without signing in"],
    [403, "without signing in"],
    [404, "spelling"],
    [410, "expired"],
    [429, "later"],
    [500, "later"],
    [503, "later"],
    [204, "must answer 200"],
    [206, "must answer 200"],
    [304, "must answer 200"],
    [418, "must answer 200"],
  ])("openAddress reports status %i as source_unreachable and says what the caller can do", async (status, advice) => {
    await expect(openAddress(on(`/status/${status}`), rules)).rejects.toMatchObject({
      code: "source_unreachable",
      detail: expect.stringMatching(new RegExp(`^The URL answered ${status}\\. .*${advice}`)),
    });
  });
});
