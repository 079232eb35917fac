import { deflateSync } from "node:zlib";

import { encodeJpeg } from "../test/engine/images/encodeJpeg.ts";
import { chunk, concat, filterLine, header, SIGNATURE } from "../test/engine/images/encodePng.ts";
import { seeded } from "./inputs.ts";

const [WIDTH, HEIGHT] = [4000, 3000];
const JPEG_BYTES = 5_000_000;

/** Images of the benchmark, generated from a fixed seed. */
export const IMAGES = {
  rgb: { title: "PNG, RGB, 4000 x 3000", make: () => png(2) },
  rgba: { title: "PNG, RGBA, 4000 x 3000", make: () => png(6) },
  cutOut: { title: "PNG, RGBA, 4000 x 3000, a disc of it visible", make: () => png(6, isInDisc) },
  logo: { title: "PNG, RGBA, 4000 x 3000, a drawing", make: drawing },
  jpeg: { title: "JPEG, 5 MB, 4000 x 3000", make: jpeg },
} as const;

export type ImageName = keyof typeof IMAGES;

/**
 * Makes a PNG with small differences between neighboring pixels, as in a photograph. The rows of the PNG alternate
 * between the five filter types.
 * @param isVisible returns whether a pixel is opaque; other pixels are transparent black, as programs write them
 */
function png(colorType: 2 | 6, isVisible?: (x: number, y: number) => boolean): Uint8Array {
  const random = seeded(colorType);
  const distance = colorType === 2 ? 3 : 4;
  const length = WIDTH * distance;
  const lines = new Uint8Array(HEIGHT * (1 + length));
  let [row, above] = [new Uint8Array(length), new Uint8Array(length).fill(128)];
  for (let y = 0; y < HEIGHT; y++) {
    for (let i = 0; i < length; i++) {
      const bits = random();
      const value =
        (i < distance ? above[i]! : (row[i - distance]! + above[i]!) >> 1) + (bits & 0x300 ? 0 : (bits & 7) - 3);
      row[i] = Math.min(255, Math.max(1, value));
    }
    if (isVisible) for (let x = 0; x < WIDTH; x++) if (!isVisible(x, y)) row.fill(0, x * distance, (x + 1) * distance);
    lines.set(filterLine(row, above, distance, y % 5), y * (1 + length));
    [row, above] = [above, row];
  }
  return encoded(colorType, lines);
}

function isInDisc(x: number, y: number): boolean {
  return (x - WIDTH / 2) ** 2 + (y - HEIGHT / 2) ** 2 < (0.45 * HEIGHT) ** 2;
}

/** Makes a PNG of rings in two colors with soft edges on a transparent background. */
function drawing(): Uint8Array {
  const length = WIDTH * 4;
  const lines = new Uint8Array(HEIGHT * (1 + length));
  const [row, above] = [new Uint8Array(length), new Uint8Array(length)];
  for (let y = 0; y < HEIGHT; y++) {
    row.fill(0);
    for (let x = 0; x < WIDTH; x++) {
      const radius = Math.hypot(x - WIDTH / 2, y - HEIGHT / 2) % 400;
      const alpha = Math.min(255, Math.max(0, 255 * (50 - Math.abs(radius - 200))));
      if (alpha > 0) row.set([x < WIDTH / 2 ? 10 : 200, 100, 200, alpha], 4 * x);
    }
    lines.set(filterLine(row, above, 4, y % 5), y * (1 + length));
    above.set(row);
  }
  return encoded(6, lines);
}

function encoded(colorType: 2 | 6, lines: Uint8Array): Uint8Array {
  return concat(
    SIGNATURE,
    chunk("IHDR", header({ width: WIDTH, height: HEIGHT, bitDepth: 8, colorType })),
    chunk("IDAT", new Uint8Array(deflateSync(lines))),
    chunk("IEND", new Uint8Array()),
  );
}

/**
 * Makes a JPEG that has the segments of a real JPEG, but random bytes as its image data. No engine in this benchmark
 * decodes the data.
 */
function jpeg(): Uint8Array {
  const small = encodeJpeg({ width: WIDTH / 8, height: HEIGHT / 8, color: () => [128, 128, 128] });
  const scan = small.length - 2 - Math.ceil((WIDTH * HEIGHT * 3 * 5) / 64 / 8);
  const random = seeded(5);
  const noise = new Uint8Array(JPEG_BYTES - scan);
  // a zero byte follows each 0xFF, because otherwise a marker would begin (ITU-T T.81, F.1.2.3)
  for (let i = 0; i < noise.length; i++) noise[i] = noise[i - 1] === 0xff ? 0 : random();
  if (noise.at(-1) === 0xff) noise[noise.length - 1] = 0;
  return concat(small.subarray(0, scan), noise, small.subarray(-2));
}
