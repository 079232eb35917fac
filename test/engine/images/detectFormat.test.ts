import { describe, expect, test } from "vitest";
import { encode } from "../../support/bytes.ts";
import { concat } from "./encodePng.ts";
import { rejection } from "./expected.ts";

const XML = '<?xml version="1.0"?>\n<!-- drawn -->\n<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x.dtd">\n';

describe("unsupported images", () => {
  test.each([
    ["a GIF", "GIF89a\x01\0"],
    ["a GIF", "GIF87a\x01\0"],
    ["a WebP image", "RIFF\x10\0\0\0WEBPVP8 "],
    ["an AVIF image", "\0\0\0\x1cftypavif\0\0\0\0mif1"],
    ["an AVIF image", "\0\0\0\x1cftypmif1\0\0\0\0mif1avifmiaf"],
    ["a HEIC image", "\0\0\0\x18ftypheic\0\0\0\0mif1heic"],
    ["a HEIC image", "\0\0\0\x18ftypmif1\0\0\0\0mif1heic"],
    ["a video", "\0\0\0\x18ftypisom\0\0\x02\0isomiso2"],
    ["a TIFF image", "II*\0\x08\0\0\0"],
    ["a TIFF image", "MM\0*\0\0\0\x08"],
    ["a BMP image", "BM\x46\0\0\0\0\0\0\0\x36\0"],
    ["a JPEG XL image", "\xff\x0a\xfa"],
    ["a JPEG XL image", "\0\0\0\x0cJXL \r\n\x87\n"],
    ["a JPEG 2000 image", "\0\0\0\x0cjP  \r\n\x87\n"],
    ["a JPEG 2000 image", "\xff\x4f\xff\x51\0"],
    ["a JPEG XR image", "II\xbc\x01"],
    ["an icon (ICO)", "\0\0\x01\0\x01\0"],
    ["a Photoshop document", "8BPS\0\x01"],
    ["an animation (MNG)", "\x8aMNG\r\n\x1a\n"],
    ["a JNG image", "\x8bJNG\r\n\x1a\n"],
    ["a PDF", "%PDF-1.7\n"],
    ["an EPS or PostScript file", "%!PS-Adobe-3.0 EPSF-3.0"],
    ["an EPS or PostScript file", "\xc5\xd0\xd3\xc6"],
    ["an SVG drawing", "<svg xmlns='http://www.w3.org/2000/svg'/>"],
    ["an SVG drawing", `\xef\xbb\xbf ${XML}<svg/>`],
    ["a web page, not an image file", "<!DOCTYPE html><html>"],
    ["a web page, not an image file", "\n<html lang='en'>"],
    ["a gzip file", "\x1f\x8b\x08\0"],
    ["neither a PNG nor a JPEG", "hello"],
    ["neither a PNG nor a JPEG", "\xff\xd8\0"],
  ])("rejects an unsupported image and names its format: %s", async (name, bytes) => {
    expect(await rejection(encode(bytes))).toEqual({
      code: "unsupported_image",
      detail: `This is ${name}. Send a PNG or a JPEG.`,
    });
  });
});

test("rejects an empty image as damaged", async () => {
  expect(await rejection(new Uint8Array())).toEqual({
    code: "damaged_image",
    detail: "The image is empty. Send the whole file.",
  });
});

test("detects the format of an image only by a signature at the start of the file", async () => {
  expect(await rejection(concat(encode("x"), encode("GIF89a")))).toMatchObject({
    detail: expect.stringContaining("neither"),
  });
});
