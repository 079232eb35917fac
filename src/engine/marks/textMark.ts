import type { TextRequest } from "../../schemas.ts";
import { typesetterFor } from "../fonts/layout.ts";
import type { PdfDocument } from "../pdf/document.ts";
import { UNITS_PER_EM } from "./draw.ts";
import { type Mark, repeatMark } from "./form.ts";
import { diagonalAngle, displayedSize, keyOf, marginOn, placeAt, type Size, tile } from "./geometry.ts";
import { fillIn } from "./placeholders.ts";
import { layOver, type Placement } from "./placeOnPages.ts";
import { lookOf } from "./templates.ts";
import { planText } from "./textLayout.ts";
import { Lettering } from "./textMarks.ts";

/**
 * Lays a text over every page. The font is embedded once, and each way the text is broken into lines is drawn once,
 * however many pages and sizes of page there are.
 * @throws Problem unsupported_character
 */
export async function markWithText(document: PdfDocument, request: TextRequest, assets: Fetcher): Promise<void> {
  const look = lookOf(request);
  const sizes = document.pages.map(displayedSize);
  const text = fillIn(request.text.normalize("NFC"), { pages: sizes.length, date: new Date() });
  const typesetter = await typesetterFor(assets, text, look.weight);
  const plan = planText(text, sizes, request, look, typesetter);
  const lettering = new Lettering(document, plan.clusters(), look, request.opacity);

  const repeated = new Map<string, Map<Mark, Mark>>();
  layOver(document, (page): Placement => {
    const shown = sizes[page.index]!;
    const { fontSizePt, blocks } = plan.settingOn(shown);
    const number = String(page.index + 1);
    const block = blocks.get(number.length) ?? blocks.get(0)!;
    const parts = lettering.partsOf(block, number);

    const size: Size = { width: block.width * UNITS_PER_EM, height: block.height * UNITS_PER_EM };
    const scale = fontSizePt / UNITS_PER_EM;
    const rotation = look.rotation ?? diagonalAngle(shown);
    if (look.position !== "tile")
      return { matrix: placeAt(look.position, size, scale, rotation, shown, marginOn(shown, request.margin)), parts };

    // All copies are turned alike: what moves a part within each of them moves all together.
    const matrices = tile(size, scale, rotation, shown);
    const [a, b, c, d] = matrices[0]!;
    const copies = repeated.get(keyOf(shown)) ?? new Map<Mark, Mark>();
    repeated.set(keyOf(shown), copies);
    return {
      matrix: [1, 0, 0, 1, 0, 0],
      parts: parts.map(({ mark, x, y }) => {
        const copy = copies.get(mark) ?? repeatMark(document, mark, matrices, shown);
        copies.set(mark, copy);
        return { mark: copy, x: a * x + c * y, y: b * x + d * y };
      }),
    };
  });
}
