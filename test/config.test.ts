import { describe, expect, test } from "vitest";
import { readConfig } from "../src/config.ts";

const PAY_TO = "0x00000000000000000000000000000000000000aa";

describe("settings", () => {
  test("none at all is development: local payments, base-sepolia, links for a day", () => {
    expect(readConfig({})).toMatchObject({
      facilitator: { kind: "local" },
      network: "base-sepolia",
      linkTtlSeconds: 86_400,
    });
  });

  test("empty ones count as not set", () => {
    expect(readConfig({ FACILITATOR_URL: "", PAY_TO: "" })).toEqual(readConfig({}));
  });

  test("a facilitator makes payments real", () => {
    expect(readConfig({ FACILITATOR_URL: "https://f.example.com", PAY_TO, NETWORK: "base" })).toMatchObject({
      facilitator: { kind: "remote", url: "https://f.example.com" },
      payTo: PAY_TO,
      network: "base",
    });
  });

  test.each([
    [{ FACILITATOR_URL: "https://f.example.com" }, /PAY_TO/],
    [{ FACILITATOR_URL: "https://f.example.com", PAY_TO: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8" }, /PAY_TO/],
    [{ FACILITATOR_URL: "ftp://f.example.com", PAY_TO }, /FACILITATOR_URL/],
    [{ PAY_TO: "0x12" }, /PAY_TO/],
    [{ NETWORK: "ethereum" }, /NETWORK/],
    [{ LINK_TTL_SECONDS: "a day" }, /LINK_TTL_SECONDS/],
    [{ LINK_TTL_SECONDS: "0" }, /LINK_TTL_SECONDS/],
    [{ MAX_PAGES: "1.5" }, /MAX_PAGES/],
  ])("%j is refused", (env, message) => {
    expect(() => readConfig(env)).toThrow(message);
  });
});
