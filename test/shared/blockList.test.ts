import { describe, expect, test } from "vitest";
import {
  blockListOf,
  blockProblem,
  isBlockedAddress,
  isBlockedHost,
  isBlockedPayer,
} from "../../src/shared/net/blockList.ts";

const EVM = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const SOLANA = "7S3P4HxJpyyigGzodYwHtCxZyUQe9JiBMHyRWXArAaKv";
const ENTRIES = [
  "203.0.113.0/24",
  "198.51.100.7",
  "2001:db8:1::/48",
  "2001:db8:2::5",
  EVM,
  SOLANA,
  "Files.example.net",
];
const list = blockListOf(ENTRIES);

describe("the block list", () => {
  test.each(ENTRIES)("the block list accepts the entry %s", (entry) => {
    expect(blockProblem(entry)).toBeUndefined();
  });

  test.each([
    "203.0.113",
    "203.0.113.0/33",
    "203.0.113.256",
    "0x12",
    EVM.slice(0, -1),
    "*.example.com",
    "https://files.example.com",
    "localhost",
    "",
  ])("the block list rejects the entry %j", (entry) => {
    expect(blockProblem(entry)).toContain("must be an IP address");
  });

  test.each(["0.0.0.0/0", "::/0"])("the block list rejects %s, which blocks every address", (entry) => {
    expect(blockProblem(entry)).toContain("SELLING=false");
  });

  test.each([
    ["203.0.113.200", true],
    ["::ffff:203.0.113.9", true],
    ["203.0.114.1", false],
    ["198.51.100.7", true],
    ["198.51.100.8", false],
    ["2001:db8:1:ffff::1", true],
    ["2001:db8:2::5", true],
    ["2001:db8:2::6", false],
    ["unknown", false],
  ])("the block list decides whether the address %s is blocked: %j", (address, isBlocked) => {
    expect(isBlockedAddress(list, address)).toBe(isBlocked);
  });

  test("the block list ignores the letter case of an EVM address, but not of a Solana address", () => {
    expect([EVM, EVM.toLowerCase(), SOLANA].map((wallet) => isBlockedPayer(list, wallet))).toEqual([true, true, true]);
    expect([SOLANA.toLowerCase(), `0x${"1".repeat(40)}`].some((wallet) => isBlockedPayer(list, wallet))).toBe(false);
  });

  test.each([
    ["files.example.net", true],
    ["files.example.net.", true],
    ["eu.files.example.net", true],
    ["otherfiles.example.net", false],
    ["example.net", false],
  ])("the block list decides whether the host %s is blocked: %j", (host, isBlocked) => {
    expect(isBlockedHost(list.hosts, host)).toBe(isBlocked);
  });
});
