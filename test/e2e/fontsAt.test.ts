/** Tests the loader of `@overprint/fonts/url` with a server. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { fontsAt } from "../../packages/fonts/url.ts";

test("fontsAt loads a font below its base URL, and rejects with the URL of a missing font", async () => {
  const paths: string[] = [];
  const server = createServer(({ url }, response) => {
    paths.push(url!);
    response.writeHead(url === "/fonts/noto/a.ttf" ? 200 : 404).end("font");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/fonts/`;
    for (const loadFont of [fontsAt(base), fontsAt(new URL(base))])
      expect(new TextDecoder().decode(await loadFont("noto/a.ttf"))).toBe("font");
    await expect(fontsAt(base)("b.ttf")).rejects.toThrow(`The font ${base}b.ttf could not be loaded: 404.`);
    expect(paths).toEqual(["/fonts/noto/a.ttf", "/fonts/noto/a.ttf", "/fonts/b.ttf"]);
  } finally {
    server.close();
  }
});
