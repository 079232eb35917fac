import { describe, expect, test } from "vitest";
import { CLIENTS, type ShownCall, tokensOf } from "../../src/site/snippets.ts";

const call: ShownCall = {
  origin: "https://pdf.example.com",
  path: "/v1/watermark/text",
  tool: "add_text_watermark",
  file: `it's "mine"; really.pdf`,
  fields: { text: 'it\'s\n"ours" \\ `$HOME` 版', opacity: 0.5 },
};
const written = (id: string, shown = call) => CLIENTS.find((client) => client.id === id)!.write(shown);

describe("snippets", () => {
  test.each(CLIENTS.map(({ id }) => id))(
    "the tokens of the highlighted %s snippet join to the original snippet",
    (id) => {
      const code = written(id);
      expect(
        tokensOf(code)
          .map(({ text }) => text)
          .join(""),
      ).toBe(code);
    },
  );

  test("the curl snippet quotes texts for the shell, and file names for curl", () => {
    expect(written("curl")).toContain(String.raw`-F 'file=@"it'\''s \"mine\"; really.pdf"'`);
    expect(written("curl")).toContain("--form-string 'text=it'\\''s\n\"ours\" \\ `$HOME` 版'");
    expect(written("curl")).toContain("--form-string opacity=0.5");
  });

  test("the MCP snippet has the tool's arguments, with numbers as numbers", () => {
    const params = JSON.parse(written("mcp").split("params of tools/call\n")[1]!);
    expect(params).toEqual({
      name: "add_text_watermark",
      arguments: { file: expect.stringMatching(/^https:\/\/example\.com\/it's/), ...call.fields },
    });
  });

  test("the snippets contain an image only if the call has an image", () => {
    const image = { ...call, image: "logo.png" };
    for (const { id } of CLIENTS) {
      expect(written(id)).not.toContain("logo.png");
      expect(written(id, image)).toContain("logo.png");
    }
  });
});
