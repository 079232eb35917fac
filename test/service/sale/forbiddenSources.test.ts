import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { CallContext } from "../../../src/service/sale/callContext.ts";
import { PRODUCTS } from "../../../src/service/sale/products.ts";
import { readConfig } from "../../../src/settings/config.ts";
import { dataUri, ORIGIN } from "../../support/client.ts";
import { forbiddenUrls } from "../../support/forbiddenUrls.ts";
import { onePage } from "../../support/pdf.ts";

const config = readConfig({});
const pdf = dataUri("application/pdf", onePage);
const [text, image] = PRODUCTS;

/** Returns whether a URL is absolute and can be the value of a Location header. */
const isSendable = ([url, rule]: [string, string]) =>
  /^[\x21-\x7e]{1,4000}$/.test(url) && rule !== "it is not a valid URL" && /^\w+:(\/|\w+:\/)/.test(url);
const redirectTo = (url: string) => `http://files.example.com/to?${encodeURIComponent(url)}`;

describe.each([
  ["file", text!, (url: string) => ({ file: url, text: "A" }), "one-page.pdf"],
  ["image", image!, (url: string) => ({ file: pdf, image: url }), "red.png"],
] as const)("the source in the field `%s`", (_, product, fields, good) => {
  const mark = async (url: string) => {
    const exchange = { request: new Request(ORIGIN), requestId: "test", env, config, facts: {}, waitUntil: () => {} };
    await using call = new CallContext(exchange, undefined, undefined);
    return product.accept(fields(url), "json").run(call);
  };

  test.each(forbiddenUrls(8080).filter(([url]) => /^https?:\/\//i.test(url)))(
    "the service does not fetch a source at %s: %s",
    async (url, rule) => {
      await expect(mark(url)).rejects.toMatchObject({
        code: "source_not_allowed",
        detail: expect.stringContaining(`The URL may not be fetched: ${rule}`),
      });
    },
  );

  test.each(forbiddenUrls(8080).filter(([url]) => !/^https?:\/\//i.test(url)))(
    "a source that is not a URL is rejected: %s",
    async (url) => {
      await expect(mark(url)).rejects.toMatchObject({ code: "invalid_request" });
    },
  );

  test.each(forbiddenUrls(8080).filter(isSendable))(
    "the service does not follow the redirect of a source to %s: %s",
    async (url, rule) => {
      await expect(mark(redirectTo(url))).rejects.toMatchObject({
        code: "source_not_allowed",
        detail: expect.stringContaining(`The URL's redirect target may not be fetched: ${rule}`),
      });
    },
  );

  test("the service follows the redirect of a source to a public URL", async () => {
    expect((await mark(redirectTo(`http://files.example.com/${good}`))).value.result.output.pages).toBe(1);
  });
});
