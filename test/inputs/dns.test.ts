import { afterEach, describe, expect, test, vi } from "vitest";
import { isPublic } from "../../src/inputs/dns.ts";
import { openAddress } from "../../src/inputs/fetch.ts";

const on = (path: string) => `https://files.example.com${path}`;
const detailOf = (words: string) => ({ detail: expect.stringContaining(words) });

afterEach(() => void vi.restoreAllMocks());

describe("the DNS check", () => {
  const checked = {
    timeoutMs: 5000,
    allowLoopback: false,
    dnsCheckUrl: "https://dns.example.com/query?key=1",
  };
  test("the DNS check allows a host with only public addresses", async () => {
    expect((await openAddress(on("/one-page.pdf"), checked)).response.status).toBe(200);
  });

  test.each(["v4.example.com", "v6.example.com"])(
    "the DNS check allows a public host with only IPv4 or only IPv6 addresses: %s",
    async (host) => {
      expect((await openAddress(`https://${host}/one-page.pdf`, checked)).response.status).toBe(200);
    },
  );

  test.each([
    "127.0.0.1.nip.io",
    "10-0-0-1.sslip.io",
    "localtest.me",
    "mixed.example.com",
    "mixed6.example.com",
    "metadata.example.com",
  ])("the DNS check rejects a host with a private address: %s", async (host) => {
    const fetched = vi.spyOn(globalThis, "fetch");
    await expect(openAddress(`https://${host}/`, checked)).rejects.toMatchObject({
      code: "source_not_allowed",
      ...detailOf("its host resolves to an address that is not public"),
    });
    expect(hostsOf(fetched)).toEqual(["dns.example.com", "dns.example.com"]);
  });

  test.each([
    ["none.example.com", "no IP address"],
    ["unknown.example.com", "no IP address"],
    ["servfail.example.com", "DNS lookup"],
    ["half.example.com", "DNS lookup"],
    ["broken.example.com", "DNS lookup"],
    ["redirect.example.com", "DNS lookup"],
  ])("a failed lookup of %s is reported as source_unreachable (%s)", async (host, words) => {
    const fetched = vi.spyOn(globalThis, "fetch");
    await expect(openAddress(`https://${host}/`, checked)).rejects.toMatchObject({
      code: "source_unreachable",
      ...detailOf(words),
    });
    expect(hostsOf(fetched)).toEqual(["dns.example.com", "dns.example.com"]);
  });

  test("the DNS check also rejects a redirect target with a private address", async () => {
    await expect(openAddress(on("/to?https://127.0.0.1.nip.io/"), checked)).rejects.toMatchObject({
      code: "source_not_allowed",
      ...detailOf("The URL's redirect target may not be fetched: its host resolves"),
    });
  });

  test("the DNS check reports an unreachable resolver as source_unreachable", async () => {
    const down = { ...checked, dnsCheckUrl: "https://nowhere.example.org/" };
    await expect(openAddress(on("/one-page.pdf"), down)).rejects.toMatchObject({
      code: "source_unreachable",
      ...detailOf("DNS lookup"),
    });
  });
});

describe("isPublic", () => {
  test.each(["8.8.8.8", "93.184.215.14", "2606:4700::1111", "2001:4860:4860::8888"])(
    "isPublic accepts the public address %s",
    (address) => {
      expect(isPublic(address)).toBe(true);
    },
  );

  test.each([
    "0.0.0.0",
    "10.0.0.1",
    "100.64.0.1",
    "127.0.0.1",
    "168.63.129.16",
    "169.254.169.254",
    "172.16.0.1",
    "192.0.0.1",
    "192.0.2.1",
    "192.168.0.1",
    "198.18.0.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::7f00:1",
    "::808:808",
    "::ffff:8.8.8.8",
    "::ffff:0:8.8.8.8",
    "64:ff9b::808:808",
    "64:ff9b:1::1",
    "100::1",
    "2001::1",
    "2001:db8::1",
    "2002:808:808::",
    "3fff::1",
    "4000::1",
    "5f00::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fec0::1",
    "ff02::1",
    "alias.example.com.",
    "",
  ])('isPublic rejects the non-public address "%s"', (address) => {
    expect(isPublic(address)).toBe(false);
  });
});

function hostsOf(fetched: { mock: { calls: unknown[][] } }): string[] {
  return fetched.mock.calls.map(([url]) => new URL(String(url)).hostname);
}
