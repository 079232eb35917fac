import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { readConfig } from "../src/config.ts";
import { surroundingsOf } from "../src/surroundings.ts";

test.each([
  ["https://api.example.com/a", undefined, "https://api.example.com"],
  ["http://localhost:8787/a", undefined, "http://localhost:8787"],
  ["https://api.example.com/a", "files.example.com", "https://files.example.com"],
  ["http://api.example.com/a", "Files.example.com:8443", "https://files.example.com:8443"],
  ["http://127.0.0.1:8787/a", "localhost:8787", "http://localhost:8787"],
])("links of a call to %s, with the file host %s, begin with %s", (url, FILE_HOST, origin) => {
  expect(surroundingsOf(new Request(url), env, readConfig({ FILE_HOST })).origin).toBe(origin);
});
