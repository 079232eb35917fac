import { deflateSync } from "node:zlib";
import { encodeJpeg } from "../test/engine/images/encodeJpeg.ts";
import { chunk, concat, header, SIGNATURE } from "../test/engine/images/encodePng.ts";
import { seeded } from "./inputs.ts";

const [WIDTH, HEIGHT] = [4000, 3000];
const JPEG_BYTES = 5_000_000;

/** The benchmark's images, generated each time from a fixed seed. */
export const IMAGES = {
  rgb: { title: "PNG, RGB, 4000 x 3000", make: () => png(2) },
  rgba: { title: "PNG, RGBA, 4000 x 3000", make: () => png(6) },
  jpeg: { title: "JPEG, 5 MB, 4000 x 3000", make: jpeg },
} as const;

export type ImageName = keyof typeof IMAGES;

/** Makes a PNG with differences between pixels as small as in a photograph, with the five filter types in turn. */
function png(colorType: 2 | 6): Uint8Array {
  const random = seeded(colorType);
  const length = WIDTH * (colorType === 2 ? 3 : 4);
  const lines = new Uint8Array(HEIGHT * (1 + length));
  for (let y = 0, at = 0; y < HEIGHT; y++) {
    lines[at++] = y % 5;
    for (const end = at + length; at < end; at++) {
      const bits = random();
      lines[at] = bits & 0x300 ? 0 : (bits & 7) - 3;
    }
  }
  return concat(
    SIGNATURE,
    chunk("IHDR", header({ width: WIDTH, height: HEIGHT, bitDepth: 8, colorType })),
    chunk("IDAT", new Uint8Array(deflateSync(lines))),
    chunk("IEND", new Uint8Array()),
  );
}

/** Makes a JPEG with the segments of a real one around noise in place of entropy-coded data, which is not decoded. */
function jpeg(): Uint8Array {
  const small = encodeJpeg({ width: WIDTH / 8, height: HEIGHT / 8, color: () => [128, 128, 128] });
  const scan = small.length - 2 - Math.ceil((WIDTH * HEIGHT * 3 * 5) / 64 / 8);
  const random = seeded(5);
  const noise = new Uint8Array(JPEG_BYTES - scan);
  // 0xFF is followed by zero, else it would begin a marker (ITU-T T.81, F.1.2.3)
  for (let i = 0; i < noise.length; i++) noise[i] = noise[i - 1] === 0xff ? 0 : random();
  if (noise.at(-1) === 0xff) noise[noise.length - 1] = 0;
  return concat(small.subarray(0, scan), noise, small.subarray(-2));
}
