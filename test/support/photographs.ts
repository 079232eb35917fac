/**
 * Ten synthetic pictures that resemble photographs, with natural light, depth and texture (1/f noise at every scale),
 * sensor grain and JPEG artifacts. The pictures are the same in every run.
 */
import { createCanvas, type SKRSContext2D } from "@napi-rs/canvas";
import { PdfWriter } from "./pdfWriter.ts";

/** Size of each picture in pixels, and of its page in points. */
export const PHOTOGRAPH = { width: 450, height: 600 };
const { width: WIDTH, height: HEIGHT } = PHOTOGRAPH;

type Paint = (context: SKRSContext2D, random: Random) => void;
/** Returns a random number from `from` up to, but not including, `to`. */
type Random = (from: number, to: number) => number;

const SCENES: Record<string, Paint> = {
  "the sea at dusk"(context, random) {
    gradient(context, ["#1c2a52", "#8a4f6d", "#f2a35e", "#ffe2a8", "#27405e", "#0b1526"]);
    glow(context, 380, 470, 160, "#fff3c8");
    noise(context, random, 0.35, [1, 6]);
    for (let y = 490; y < HEIGHT; y += 4) streak(context, random, y, "rgba(255, 214, 150, 0.35)");
  },
  "clouds at noon"(context, random) {
    gradient(context, ["#2f6fc4", "#7fb4ec", "#dfeefb"]);
    for (let i = 0; i < 160; i++)
      glow(context, random(0, WIDTH), 250 + random(-180, 180), random(30, 110), "rgba(255, 255, 255, 0.5)");
    noise(context, random, 0.2);
  },
  leaves(context, random) {
    gradient(context, ["#0a1a08", "#18300f"]);
    for (let i = 0; i < 5000; i++) {
      const light = random(12, 62);
      context.fillStyle = `hsl(${random(65, 130)} ${random(30, 70)}% ${light}%)`;
      ellipse(context, random(0, WIDTH), random(0, HEIGHT), random(3, 14), random(1, 5), random(0, Math.PI));
    }
    noise(context, random, 0.3);
  },
  "lights out of focus"(context, random) {
    gradient(context, ["#05060c", "#141022", "#0b0a10"]);
    for (let i = 0; i < 120; i++) {
      context.fillStyle = `hsla(${random(10, 60)} 90% ${random(50, 85)}% / ${random(0.15, 0.6)})`;
      const radius = random(10, 55);
      ellipse(context, random(0, WIDTH), random(0, HEIGHT), radius, radius);
    }
    noise(context, random, 0.15);
  },
  "a city by night"(context, random) {
    gradient(context, ["#02030a", "#0d1020", "#1b1620"]);
    for (let x = 0; x < WIDTH; x += 60) {
      const top = random(120, 520);
      context.fillStyle = `hsl(230 15% ${random(4, 12)}%)`;
      context.fillRect(x, top, 58, HEIGHT);
      for (let y = top + 8; y < HEIGHT; y += 14)
        for (let at = x + 5; at < x + 52; at += 10)
          if (random(0, 1) < 0.4) {
            context.fillStyle = `hsl(${random(25, 55)} 80% ${random(30, 90)}%)`;
            context.fillRect(at, y, 6, 8);
          }
    }
    noise(context, random, 0.2);
  },
  snow(context, random) {
    gradient(context, ["#dfe7f2", "#f7f9fc", "#e6edf7", "#ffffff"]);
    for (let i = 0; i < 30; i++) {
      context.fillStyle = `hsl(215 ${random(10, 30)}% ${random(12, 40)}%)`;
      context.fillRect(random(0, WIDTH), random(80, 300), random(3, 16), random(150, 420));
    }
    noise(context, random, 0.12);
  },
  "a face"(context, random) {
    gradient(context, ["#5a6a70", "#8c9490", "#4a4644"]);
    context.translate(-75, -60);
    context.fillStyle = "#2a1a12";
    ellipse(context, 300, 330, 230, 300);
    const skin = context.createRadialGradient(240, 320, 30, 300, 420, 320);
    for (const [at, color] of ["#f6d3bb", "#d9a184", "#8f5a43"].entries()) skin.addColorStop(at / 2, color);
    context.fillStyle = skin;
    ellipse(context, 300, 400, 180, 250);
    for (const x of [225, 375]) {
      context.fillStyle = "#f2eeea";
      ellipse(context, x, 350, 32, 15);
      context.fillStyle = "#20140e";
      ellipse(context, x, 350, 14, 14);
    }
    context.fillStyle = "#a2504c";
    ellipse(context, 300, 530, 60, 16);
    context.resetTransform();
    noise(context, random, 0.12);
  },
  "papers on a desk"(context, random) {
    gradient(context, ["#8a5a34", "#6d4424", "#936240"]);
    for (let y = 0; y < HEIGHT; y += 3) streak(context, random, y, "rgba(40, 20, 8, 0.4)");
    for (const [x, y, turn] of [
      [60, 90, -0.12],
      [210, 300, 0.2],
    ] as const) {
      context.save();
      context.translate(x, y);
      context.rotate(turn);
      context.fillStyle = "rgba(0, 0, 0, 0.4)";
      context.fillRect(8, 10, 330, 440);
      context.fillStyle = "#f3efe6";
      context.fillRect(0, 0, 330, 440);
      context.fillStyle = "#3b3a38";
      for (let line = 40; line < 410; line += 14)
        for (let at = 30; at < 290; at += random(20, 60)) context.fillRect(at, line, random(8, 40), 5);
      context.restore();
    }
    noise(context, random, 0.2);
  },
  "blinds in the sun"(context, random) {
    gradient(context, ["#fffaf0", "#efe2c8"]);
    context.rotate(-0.1);
    for (let y = -100; y < HEIGHT + 200; y += 26) {
      context.fillStyle = "#17130f";
      context.fillRect(-100, y, WIDTH + 300, 13);
    }
    context.resetTransform();
    noise(context, random, 0.25);
  },
  fog(context, random) {
    gradient(context, ["#b4b9bb", "#8f9698", "#6d7476", "#777d7c"]);
    noise(context, random, 0.25, [0, 5]);
  },
};

/** Returns a PDF with an empty page, followed by one page for each picture. Each picture fills its page. */
export function photographPages(): Uint8Array<ArrayBuffer> {
  const writer = new PdfWriter();
  const tree = writer.reserve();
  const page = (entries: string) => writer.object(`<< /Type /Page /Parent ${tree} 0 R ${entries} >>`);
  const pages = [page("")];
  const image = `/Type /XObject /Subtype /Image /Width ${WIDTH} /Height ${HEIGHT} /BitsPerComponent 8`;
  const contents = writer.stream("", Buffer.from(`${WIDTH} 0 0 ${HEIGHT} 0 0 cm /Picture Do`));
  for (const [index, paint] of Object.values(SCENES).entries()) {
    const jpeg = writer.stream(`${image} /ColorSpace /DeviceRGB /Filter /DCTDecode`, painted(paint, index + 1));
    pages.push(page(`/Contents ${contents} 0 R /Resources << /XObject << /Picture ${jpeg} 0 R >> >>`));
  }
  const kids = pages.map((number) => `${number} 0 R`).join(" ");
  writer.object(`<< /Type /Pages /Count ${pages.length} /Kids [${kids}] /MediaBox [0 0 ${WIDTH} ${HEIGHT}] >>`, tree);
  return writer.finish(writer.object(`<< /Type /Catalog /Pages ${tree} 0 R >>`), "classic");
}

/** Paints a picture and encodes it as JPEG. */
function painted(paint: Paint, seed: number): Buffer {
  const canvas = createCanvas(WIDTH, HEIGHT);
  paint(canvas.getContext("2d"), randomOf(seed));
  return canvas.toBuffer("image/jpeg", 90);
}

/** Fills the picture with a vertical gradient. */
function gradient(context: SKRSContext2D, colors: readonly string[]): void {
  const fill = context.createLinearGradient(0, 0, 0, HEIGHT);
  for (const [i, color] of colors.entries()) fill.addColorStop(i / (colors.length - 1), color);
  context.fillStyle = fill;
  context.fillRect(0, 0, WIDTH, HEIGHT);
}

function glow(context: SKRSContext2D, x: number, y: number, radius: number, color: string): void {
  const fill = context.createRadialGradient(x, y, 0, x, y, radius);
  fill.addColorStop(0, color);
  fill.addColorStop(1, "rgba(255, 255, 255, 0)");
  context.fillStyle = fill;
  context.fillRect(x - radius, y - radius, 2 * radius, 2 * radius);
}

/** Draws a wavy horizontal line with gaps. */
function streak(context: SKRSContext2D, random: Random, y: number, color: string): void {
  context.strokeStyle = color;
  context.lineWidth = random(0.5, 2.5);
  context.setLineDash([random(10, 90), random(5, 60)]);
  context.beginPath();
  context.moveTo(0, y);
  for (let x = 0; x <= WIDTH; x += 50) context.lineTo(x, y + random(-3, 3));
  context.stroke();
  context.setLineDash([]);
}

function ellipse(context: SKRSContext2D, x: number, y: number, across: number, along: number, turn = 0): void {
  context.beginPath();
  context.ellipse(x, y, across, along, turn, 0, 2 * Math.PI);
  context.fill();
}

/**
 * Adds gray noise of the same strength at each scale. Octave 0 has 3 x 4 large patches. Each further octave doubles the
 * number of patches per side. In the last octave, each patch is a single pixel.
 */
function noise(context: SKRSContext2D, random: Random, strength: number, [first, last] = [0, 8]): void {
  context.globalCompositeOperation = "overlay";
  context.globalAlpha = strength;
  for (let octave = first!; octave <= last!; octave++) {
    const [columns, rows] = [Math.min(3 << octave, WIDTH), Math.min(4 << octave, HEIGHT)];
    const patches = createCanvas(columns, rows);
    const image = patches.getContext("2d").createImageData(columns, rows);
    const pixels = new Uint32Array(image.data.buffer); // each element is one opaque gray pixel
    for (let at = 0; at < pixels.length; at++) pixels[at] = 0xff000000 + 0x010101 * Math.floor(random(0, 256));
    patches.getContext("2d").putImageData(image, 0, 0);
    context.drawImage(patches, 0, 0, WIDTH, HEIGHT);
  }
  context.globalCompositeOperation = "source-over";
  context.globalAlpha = 1;
}

/** Returns a linear congruential generator with the constants of "Numerical Recipes". */
function randomOf(seed: number): Random {
  let state = seed;
  return (from, to) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return from + ((to - from) * state) / 2 ** 32;
  };
}
