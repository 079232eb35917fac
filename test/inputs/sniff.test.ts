import { describe, expect, test } from "vitest";
import { expectPdf } from "../../src/inputs/sniff.ts";
import { onePage } from "../support/pdf.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const notAPdf = (detail: string | RegExp) =>
  expect.objectContaining({ code: "not_a_pdf", detail: expect.stringMatching(detail) });

describe("expectPdf passes", () => {
  test.each<[string, Uint8Array]>([
    ["a PDF", onePage],
    ["a PDF after a server's warning", bytes(`<br />\n<b>Warning</b>: headers already sent\n%PDF-1.4\n`)],
    ["a PDF after a web page", bytes(`<html><body></body></html>\n%PDF-1.4\n`)],
    ["a PDF that has lost its header", bytes("1 0 obj\n<< /Type /Catalog >>\nendobj\n")],
    ["a PDF that begins with a dictionary, which resembles markup", bytes("<< /Size 3 >>")],
    ["plain text, which only the PDF parser rejects", bytes("just words")],
  ])("expectPdf accepts %s", (_, head) => {
    expect(() => expectPdf(head, "https://example.com/a.pdf")).not.toThrow();
  });
});

describe("expectPdf and web pages", () => {
  test.each([
    "<!DOCTYPE html><html>",
    "<!doctype HTML PUBLIC '-//W3C//DTD HTML 4.01//EN'>",
    "\ufeff<!DOCTYPE html>",
    "\r\n\t <html lang=en>",
    "<HTML>",
    "<head><title>Sign in</title>",
    "<script>location = '/login'</script>",
    "<!-- saved from a browser --><html>",
    "<!-- a --> <!-- b --->\n<!DOCTYPE html>",
    '<?xml version="1.0"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN">',
    '<?xml version="1.0"?>\n<!-- x -->\n<html xmlns="http://www.w3.org/1999/xhtml">',
  ])("expectPdf recognizes the web page %s", (page) => {
    expect(() => expectPdf(bytes(page), "https://example.com/a.pdf")).toThrow(
      notAPdf(/^This is a web page, not a PDF\. Use the file's direct download link\.$/),
    );
  });

  test("expectPdf skips many comments in linear time", () => {
    expect(() => expectPdf(bytes("<!---->".repeat(140)), "https://example.com/a.pdf")).not.toThrow();
  });
});

describe("expectPdf and share links", () => {
  const page = bytes("<!DOCTYPE html>");
  test.each([
    ["https://www.dropbox.com/s/abc/a.pdf?dl=0", "https://www.dropbox.com/s/abc/a.pdf?dl=1"],
    ["https://www.dropbox.com/scl/fi/abc/a.pdf?rlkey=k&dl=0", "https://www.dropbox.com/scl/fi/abc/a.pdf?rlkey=k&dl=1"],
    [
      "https://drive.google.com/file/d/1aB_-c/view?usp=sharing",
      "https://drive.google.com/uc?export=download&id=1aB_-c",
    ],
    ["https://drive.google.com/file/u/0/d/1aB_-c/view", "https://drive.google.com/uc?export=download&id=1aB_-c"],
    ["https://drive.google.com/open?id=1aB_-c", "https://drive.google.com/uc?export=download&id=1aB_-c"],
    [
      "https://docs.google.com/document/d/1aB_-c/edit#heading",
      "https://docs.google.com/document/d/1aB_-c/export?format=pdf",
    ],
    [
      "https://firm-my.sharepoint.com/:b:/g/personal/x/abc?e=1",
      "https://firm-my.sharepoint.com/:b:/g/personal/x/abc?e=1&download=1",
    ],
    ["https://github.com/a/b/blob/main/docs/c.pdf", "https://github.com/a/b/raw/main/docs/c.pdf"],
  ])("expectPdf suggests the direct download link for the share link %s", (source, link) => {
    expect(() => expectPdf(page, source)).toThrow(
      expect.objectContaining({
        detail: `This is a web page, not a PDF. Use the file's direct download link: ${link}`,
      }),
    );
  });

  test.each([
    "https://www.dropbox.com/s/abc/a.pdf?dl=1",
    "https://drive.google.com/uc?export=download&id=1aB_-c",
    "https://drive.google.com/drive/my-drive",
    "https://github.com/a/b",
    "https://dropbox.com.example.com/s/abc",
    "data:application/pdf;base64,PCFET0NUWVBFIGh0bWw+",
  ])("the error of expectPdf for a web page contains no URL of a download link if the source is %s", (source) => {
    expect(() => expectPdf(page, source)).toThrow(notAPdf(/direct download link\.$/));
  });

  test("the error of expectPdf for an uploaded web page contains no URL of a download link", () => {
    expect(() => expectPdf(page, new File([page], "a.pdf"))).toThrow(notAPdf(/direct download link\.$/));
  });
});

describe("expectPdf and other answers of servers", () => {
  test.each([
    ['{"error":"expired"}', "This is JSON"],
    ["{}", "This is JSON"],
    ['\ufeff [\n {"a":1}]', "This is JSON"],
    ["[]", "This is JSON"],
    ['<?xml version="1.0" encoding="UTF-8"?><Error><Code>AccessDenied</Code></Error>', "This is XML"],
    ["<Error><Code>NoSuchKey</Code></Error>", "This is XML"],
    ["", "The file is empty"],
  ])("expectPdf rejects the file %j, and the error begins with: %s", (text, words) => {
    expect(() => expectPdf(bytes(text), "https://example.com/a.pdf")).toThrow(notAPdf(`^${words}`));
  });
});
