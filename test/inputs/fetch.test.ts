import { afterEach, describe, expect, test, vi } from "vitest";
import { type FetchRules, openAddress } from "../../src/inputs/fetch.ts";
import { UPLOAD_FIRST } from "../../src/inputs/upload.ts";
import { forbiddenUrls } from "../support/forbiddenUrls.ts";

const rules: FetchRules = { timeoutMs: 5000, allowLoopback: false };
const on = (path: string) => `https://files.example.com${path}`;
const detailOf = (words: string) => ({ detail: expect.stringContaining(words) });

afterEach(() => void vi.restoreAllMocks());

describe("what may not be fetched is a source_not_allowed that names the rule, and nothing is asked", () => {
  test.each(forbiddenUrls(8080))("%s: %s", async (url, rule) => {
    const fetched = vi.spyOn(globalThis, "fetch");
    await expect(openAddress(url, rules)).rejects.toMatchObject({
      code: "source_not_allowed",
      detail: `The URL may not be fetched: ${rule}. Use a public http(s) URL, or send the file itself: ${UPLOAD_FIRST}.`,
    });
    expect(fetched).not.toHaveBeenCalled();
  });
});

describe("redirects", () => {
  test("are followed three times", async () => {
    const { response } = await openAddress(on("/hops/3"), rules);
    expect(response.status).toBe(200);
  });

  test("and not a fourth", async () => {
    await expect(openAddress(on("/hops/4"), rules)).rejects.toMatchObject({
      code: "source_unreachable",
      ...detailOf("more than 3 times"),
    });
  });

  test.each(["/loop.pdf", "/loop.pdf#1", "/there.pdf"])("in a circle are refused at once: %s", async (path) => {
    const fetched = vi.spyOn(globalThis, "fetch");
    await expect(openAddress(on(path), rules)).rejects.toMatchObject({
      code: "source_unreachable",
      ...detailOf("in a circle"),
    });
    expect(fetched.mock.calls.length).toBeLessThanOrEqual(2);
  });

  const sendable = forbiddenUrls(8080).filter(
    ([url, rule]) =>
      /^[\x21-\x7e]{1,4000}$/.test(url) && rule !== "it cannot be read as one" && /^\w+:(\/|\w+:\/)/.test(url),
  );
  test.each([...sendable, ["//127.0.0.1:8080/", "it names an address instead of a host"]] as const)(
    "are checked like the first address: %s: %s",
    async (url, rule) => {
      const fetched = vi.spyOn(globalThis, "fetch");
      await expect(openAddress(`http://files.example.com/to?${encodeURIComponent(url)}`, rules)).rejects.toMatchObject({
        code: "source_not_allowed",
        detail: `What the URL redirects to may not be fetched: ${rule}. Use a public http(s) URL, or send the file itself: ${UPLOAD_FIRST}.`,
      });
      expect(fetched).toHaveBeenCalledOnce();
    },
  );

  test("never leave https for http", async () => {
    await expect(openAddress(on("/to?http://files.example.com/one-page.pdf"), rules)).rejects.toMatchObject({
      code: "source_not_allowed",
      ...detailOf("it leaves https for http"),
    });
  });

  test("to what is no URL are a source_unreachable", async () => {
    await expect(openAddress(on("/to?http://["), rules)).rejects.toMatchObject({
      code: "source_unreachable",
      ...detailOf("not a URL"),
    });
  });

  test("lead to this machine only from there, even where a developer may name it", async () => {
    const fetched = vi.spyOn(globalThis, "fetch");
    await expect(
      openAddress("http://files.example.com/to?http://127.0.0.1:8080/", { ...rules, allowLoopback: true }),
    ).rejects.toMatchObject({ code: "source_not_allowed", ...detailOf("it names an address") });
    expect(fetched).toHaveBeenCalledOnce();
  });
});

describe("any answer but 200 is a source_unreachable that gives the status and what to do", () => {
  test.each([
    [401, "without signing in"],
    [403, "without signing in"],
    [404, "spelling"],
    [410, "expired"],
    [429, "later"],
    [500, "later"],
    [503, "later"],
    [204, "Only an answer 200"],
    [206, "Only an answer 200"],
    [304, "Only an answer 200"],
    [418, "Only an answer 200"],
  ])("%i", async (status, advice) => {
    await expect(openAddress(on(`/status/${status}`), rules)).rejects.toMatchObject({
      code: "source_unreachable",
      detail: expect.stringMatching(new RegExp(`^The URL answered ${status}\\. .*${advice}`)),
    });
  });
});
