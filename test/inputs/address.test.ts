import { describe, expect, test } from "vitest";
import { checkAddress } from "../../src/inputs/address.ts";

describe("what may be fetched", () => {
  test.each([
    "https://example.com/a.pdf",
    "http://example.com:80/a.pdf",
    "https://example.com:443/a.pdf",
    "https://sub.example.co.uk/a.pdf?x=1#y",
    "https://example.com./a.pdf",
    "https://bücher.example/a.pdf",
  ])("%s", (url) => {
    expect(() => checkAddress(new URL(url))).not.toThrow();
  });
});

describe("what may not", () => {
  test.each([
    "ftp://example.com/a.pdf",
    "file:///etc/passwd",
    "gopher://example.com/",
    "data:application/pdf;base64,JVBERi0=",
    "javascript:alert(1)",
    "https://user@example.com/",
    "https://user:pass@example.com/",
    "https://:pass@example.com/",
    "http://example.com:8080/",
    "https://example.com:80/",
    "http://example.com:22/",
    "http://127.0.0.1/",
    "http://127.1/",
    "http://2130706433/",
    "http://0x7f.1/",
    "http://0177.0.0.1/",
    "http://①②⑦.0.0.1/",
    "http://0/",
    "http://8.8.8.8/",
    "http://10.0.0.1/",
    "http://169.254.169.254/",
    "http://127.0.0.1./",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[fd00::1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[2606:4700::1111]/",
    "http://localhost/",
    "http://localhost./",
    "http://intranet/",
    "http://app.localhost/",
    "http://printer.local/",
    "http://db.internal/",
    "http://db.internal./",
    "http://nas.home.arpa/",
  ])("%s", (url) => {
    expect(() => checkAddress(new URL(url))).toThrow(expect.objectContaining({ code: "source_not_allowed" }));
  });
});
