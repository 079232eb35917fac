import { describe, expect, test } from "vitest";
import { isDeveloper, isLoopback } from "../../../src/shared/net/loopback.ts";

describe("the origin of a request", () => {
  test.each<[string, Record<string, string>, boolean, boolean]>([
    ["http://localhost:8787/", {}, true, true],
    ["http://127.0.0.1:8787/", {}, true, true],
    ["http://[::1]:8787/", { "CF-Connecting-IP": "::1" }, true, true],
    ["http://127.0.0.1:8787/", { Origin: "https://page.example.com" }, true, false],
    ["http://127.0.0.1:8787/", { Origin: "null" }, true, false],
    ["http://127.0.0.1:8787/", { Origin: "http://localhost:3000" }, true, false],
    ["http://127.0.0.1:8787/", { "CF-Connecting-IP": "203.0.113.7" }, false, false],
    ["http://rebound.example.com:8787/", {}, false, false],
    ["http://app.localhost:8787/", {}, false, false],
    ["https://api.example.com/", {}, false, false],
  ])("isLoopback and isDeveloper classify a request to %s with the headers %j", (url, headers, loopback, developer) => {
    const request = new Request(url, { headers });
    expect([isLoopback(request), isDeveloper(request)]).toEqual([loopback, developer]);
  });
});
