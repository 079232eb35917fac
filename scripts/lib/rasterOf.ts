import { createCanvas, loadImage } from "@napi-rs/canvas";
import { packed, type Raster } from "./raster.ts";

/** Decodes a picture that a browser made, given as a file or a data URI. */
export async function rasterOf(picture: Buffer | string): Promise<Raster> {
  const image = await loadImage(picture);
  const { width, height } = image;
  const context = createCanvas(width, height).getContext("2d");
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, width, height);
  return { width, height, rgb: packed(data, width, height, width * 4, 4) };
}
