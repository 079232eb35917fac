import { describe, expect, test } from "vitest";
import { brokenAddressRule } from "../../src/inputs/address.ts";

describe("URLs that may be fetched", () => {
  test.each([
    "https://example.com/a.pdf",
    "http://example.com:80/a.pdf",
    "https://example.com:443/a.pdf",
    "https://sub.example.co.uk/a.pdf?x=1#y",
    "https://example.com./a.pdf",
    "https://bücher.example.com/a.pdf",
    "https://xn--bcher-kva.example.com/a.pdf",
    "https://under_score.example.com/a.pdf",
    "https://127.0.0.1.example.com/a.pdf",
    "https://localhost.example.com/a.pdf",
    "https://internal.example.com/a.pdf",
    "https://svc.cluster.local.example.com/a.pdf",
    "https://svc.com/a.pdf",
    "https://consul.io/a.pdf",
    `https://${"a".repeat(63)}.example.com/a.pdf`,
  ])("brokenAddressRule allows the public URL %s", (url) => {
    expect(brokenAddressRule(new URL(url), false)).toBeUndefined();
  });
});

describe("allowLoopback", () => {
  test.each([
    "http://127.0.0.1:8080/a.pdf",
    "http://127.0.0.1/a.pdf",
    "http://127.1.2.3:1/a.pdf",
    "http://localhost:8080/a.pdf",
    "http://[::1]:8080/a.pdf",
    "https://localhost:8443/a.pdf",
  ])("the setting allowLoopback permits the loopback URL %s", (url) => {
    expect(brokenAddressRule(new URL(url), true)).toBeUndefined();
    expect(brokenAddressRule(new URL(url), false)).toBeDefined();
  });

  test.each([
    ["ftp://127.0.0.1/", "only http and https URLs are fetched"],
    ["http://user@127.0.0.1/", "it carries credentials"],
    ["http://0.0.0.0:8080/", "it names an IP address instead of a host"],
    ["http://10.0.0.1/", "it names an IP address instead of a host"],
    ["http://169.254.169.254/", "it names an IP address instead of a host"],
    ["http://[::ffff:127.0.0.1]/", "it names an IP address instead of a host"],
    ["http://app.localhost:8080/", "its host is on a local network"],
    ["http://example.com:8080/", "only the standard ports 80 and 443 are allowed"],
  ])("the setting allowLoopback does not permit the URL %s, because %s", (url, rule) => {
    expect(brokenAddressRule(new URL(url), true)).toBe(rule);
  });
});
