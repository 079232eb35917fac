import { encodeLatin1 } from "../bytes.ts";
import { deflatedText } from "../deflated.ts";
import type { ObjectSink, Ref } from "../pdf/document/newObject.ts";
import { glyphText, wordsOf } from "./actualText.ts";
import type { Point } from "./geometry.ts";
import { number, numbers, showEach } from "./operators.ts";

/** A rectangle: left, bottom, right, top. */
export type Rectangle = readonly [number, number, number, number];

/** A finished drawing: a form XObject whose ink lies within `box`, in form space. */
export interface Mark {
  ref: Ref;
  box: Rectangle;
}

/** The contents of a mark, in form space. */
export interface Drawing {
  content: string;
  /** Entries of the resource dictionary. */
  resources: string;
  /** Clipping box: the /BBox of the form. */
  box: Rectangle;
}

/**
 * Turns a drawing into a form XObject that looks the same in every graphics state. The form resets the page's alpha,
 * blend mode and soft mask (ISO 32000-2, 8.10, 11.4.5, 11.6.4.4). A translucent mark is an isolated transparency group,
 * so overlapping parts of the mark are not darker. An opaque mark needs no group, which keeps PDF/A-1 files valid. A
 * mark under the page's content has the initial graphics state, and needs no reset.
 * @param opacity opacity of the whole mark, from 0 to 1
 * @param text the text of the drawing's glyphs; see {@link glyphText}
 */
export function makeMark(sink: ObjectSink, drawing: Drawing, opacity: number, text?: string): Mark {
  if (opacity < 1) sink.uses?.add("transparency");
  const inner = addForm(sink, drawing, opacity < 1 ? "/Group<</S/Transparency/I true>>" : "");
  const content = text === undefined ? "/D Do" : glyphText(text, "/D Do");
  const isReset = sink.layer !== "under";
  const state = `<</ca ${number(opacity)}/CA ${number(opacity)}/BM/Normal/SMask/None/AIS false>>`;
  const ref = addForm(sink, {
    box: drawing.box,
    resources: `${isReset ? `/ExtGState<</S ${state}>>` : ""}/XObject<</D ${inner}>>`,
    content: isReset ? `/S gs ${content}` : content,
  });
  return { ref, box: drawing.box };
}

/**
 * Creates a mark that shows the given mark once at each of `places`. The places are offsets in units of the given mark.
 * Text extraction finds no text in the new mark.
 */
export function repeatMark(sink: ObjectSink, mark: Mark, places: readonly Point[]): Mark {
  const [left, bottom, right, top] = mark.box;
  const [xs, ys] = [places.map(({ x }) => x), places.map(({ y }) => y)];
  const box: Rectangle = [
    left + Math.min(...xs),
    bottom + Math.min(...ys),
    right + Math.max(...xs),
    top + Math.max(...ys),
  ];
  const content = wordsOf(
    "",
    showEach(places, () => "Mark"),
  );
  return { ref: addForm(sink, { box, resources: `/XObject<</Mark ${mark.ref}>>`, content }), box };
}

/**
 * Adds a form XObject. Deflates its content if the deflated content is smaller. `entries` are additional entries of the
 * dictionary.
 */
export function addForm(sink: ObjectSink, { box, resources, content }: Drawing, entries = ""): Ref {
  const deflated = deflatedText(content, 9);
  const filter = "/Filter/FlateDecode";
  const saves = deflated.length + filter.length < content.length;
  return sink.add({
    dict: `/Subtype/Form/BBox[${numbers(box)}]/Resources<<${resources}>>${entries}${saves ? filter : ""}`,
    data: saves ? deflated : encodeLatin1(content),
  });
}
