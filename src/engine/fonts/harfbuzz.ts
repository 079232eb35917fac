/**
 * Shapes text with HarfBuzz: converts characters to positioned glyphs. This is a thin binding to the WebAssembly module
 * of harfbuzzjs. The package's own entry point compiles the module at run time, which workerd does not allow. Only this
 * file allocates and frees HarfBuzz's memory, and uses pointers to the memory.
 */
import { harfbuzzModule } from "#platform/harfbuzz";
import { encodeLatin1 } from "../bytes.ts";

type Pointer = number;

/** The functions of HarfBuzz's C interface that this file calls. */
interface Exports {
  memory: WebAssembly.Memory;
  __wasm_call_ctors(): void;
  malloc(bytes: number): Pointer;
  free(pointer: Pointer): void;
  hb_blob_create(data: Pointer, length: number, mode: number, userData: Pointer, destroy: Pointer): Pointer;
  hb_blob_destroy(blob: Pointer): void;
  hb_face_create(blob: Pointer, index: number): Pointer;
  hb_face_destroy(face: Pointer): void;
  hb_font_create(face: Pointer): Pointer;
  hb_font_destroy(font: Pointer): void;
  hb_buffer_create(): Pointer;
  hb_buffer_destroy(buffer: Pointer): void;
  hb_buffer_add_utf16(buffer: Pointer, text: Pointer, length: number, itemOffset: number, itemLength: number): void;
  hb_buffer_set_direction(buffer: Pointer, direction: number): void;
  hb_buffer_set_script(buffer: Pointer, script: number): void;
  hb_buffer_set_language(buffer: Pointer, language: Pointer): void;
  hb_language_from_string(tag: Pointer, length: number): Pointer;
  hb_buffer_set_flags(buffer: Pointer, flags: number): void;
  hb_buffer_set_cluster_level(buffer: Pointer, level: number): void;
  hb_shape(font: Pointer, buffer: Pointer, features: Pointer, featureCount: number): void;
  hb_buffer_get_length(buffer: Pointer): number;
  hb_buffer_get_glyph_infos(buffer: Pointer, length: Pointer): Pointer;
  hb_buffer_get_glyph_positions(buffer: Pointer, length: Pointer): Pointer;
}

const READ_ONLY_MEMORY = 1;
const LEFT_TO_RIGHT = 4;
const RIGHT_TO_LEFT = 5;
/**
 * Buffer flags BOT and EOT (beginning and end of text). HarfBuzz always receives a run together with the whole line.
 * The flags declare that no text precedes or follows the line.
 */
const BEGINNING_AND_END_OF_TEXT = 3;
/**
 * Buffer flag that removes the empty glyphs of joiners and variation selectors. The text of the removed glyphs then
 * belongs to the neighboring cluster.
 */
const REMOVE_DEFAULT_IGNORABLES = 8;
/** The cluster level at which a base character and its marks form one cluster. */
const GRAPHEME_CLUSTERS = 0;
/** Size of hb_glyph_info_t and of hb_glyph_position_t, in bytes. */
const RECORD_LENGTH = 20;
const WASM_PAGE = 65_536;

let instance: Exports | undefined;

/** Starts HarfBuzz. Must be called before shaping. Does nothing if HarfBuzz is already running. */
export async function startHarfbuzz(): Promise<void> {
  if (instance) return;
  const module = await harfbuzzModule();
  instance ??= start(module);
}

function harfbuzz(): Exports {
  if (!instance) throw new Error("HarfBuzz has not been started");
  return instance;
}

function start(module: WebAssembly.Module): Exports {
  const exports = new WebAssembly.Instance(module, {
    wasi_snapshot_preview1: { proc_exit: stop },
    env: {
      _abort_js: stop,
      _emscripten_runtime_keepalive_clear() {},
      _setitimer_js: () => 0,
      emscripten_resize_heap(bytes: number) {
        const { memory } = exports;
        memory.grow(Math.ceil((bytes - memory.buffer.byteLength) / WASM_PAGE));
        return 1;
      },
    },
  }).exports as unknown as Exports;
  exports.__wasm_call_ctors();
  return exports;
}

function stop(): never {
  throw new Error("HarfBuzz stopped");
}

/** A glyph of a shaping run. Lengths are in font units, x to the right and y up. */
export interface ShapedGlyph {
  id: number;
  /** Start of the glyph's cluster in the text, in UTF-16 code units. */
  cluster: number;
  /** Distance that the pen moves after the glyph. */
  advance: number;
  /** Offset of the glyph from the pen. */
  dx: number;
  dy: number;
}

/** A shaping run: a part of a text with one direction and one script. */
export interface Run {
  /** Range of the run in the text, in UTF-16 code units. `end` is exclusive. */
  start: number;
  end: number;
  rightToLeft: boolean;
  /** ISO 15924 code, such as `Arab`. */
  script: string;
  /** BCP 47 tag, which selects the letterforms of a language. */
  language?: string | undefined;
}

/** A font opened in HarfBuzz. */
export class Shaper {
  readonly #data: Pointer;
  readonly #blob: Pointer;
  readonly #face: Pointer;
  readonly #font: Pointer;

  /**
   * Opens the font file in `bytes` and copies it into HarfBuzz's memory.
   * @throws Error if HarfBuzz has not been started or has no memory left
   */
  constructor(bytes: Uint8Array) {
    const hb = harfbuzz();
    this.#data = allocate(hb, bytes);
    this.#blob = hb.hb_blob_create(this.#data, bytes.length, READ_ONLY_MEMORY, 0, 0);
    this.#face = hb.hb_face_create(this.#blob, 0);
    this.#font = hb.hb_font_create(this.#face);
  }

  /**
   * Shapes a run of `text`. The text around the run determines how letters at the ends of the run join.
   * @returns glyphs from left to right, also for right-to-left text
   * @throws Error if HarfBuzz has no memory left
   */
  shape(text: string, { start, end, rightToLeft, script, language }: Run): ShapedGlyph[] {
    const hb = harfbuzz();
    const units = allocateUtf16(hb, text);
    const buffer = hb.hb_buffer_create();
    try {
      hb.hb_buffer_set_cluster_level(buffer, GRAPHEME_CLUSTERS);
      hb.hb_buffer_set_flags(buffer, BEGINNING_AND_END_OF_TEXT | REMOVE_DEFAULT_IGNORABLES);
      hb.hb_buffer_add_utf16(buffer, units, text.length, start, end - start);
      hb.hb_buffer_set_direction(buffer, rightToLeft ? RIGHT_TO_LEFT : LEFT_TO_RIGHT);
      hb.hb_buffer_set_script(buffer, tag(script));
      if (language !== undefined) hb.hb_buffer_set_language(buffer, languageIn(hb, language));
      hb.hb_shape(this.#font, buffer, 0, 0);
      return glyphsOf(hb, buffer);
    } finally {
      hb.hb_buffer_destroy(buffer);
      hb.free(units);
    }
  }

  /** Frees the font's memory. The shaper must not be used afterwards. */
  close(): void {
    const hb = harfbuzz();
    hb.hb_font_destroy(this.#font);
    hb.hb_face_destroy(this.#face);
    hb.hb_blob_destroy(this.#blob);
    hb.free(this.#data);
  }
}

function glyphsOf(hb: Exports, buffer: Pointer): ShapedGlyph[] {
  const length = hb.hb_buffer_get_length(buffer);
  const infos = hb.hb_buffer_get_glyph_infos(buffer, 0);
  const positions = hb.hb_buffer_get_glyph_positions(buffer, 0);
  const view = new DataView(hb.memory.buffer);
  const glyphs: ShapedGlyph[] = [];
  for (let i = 0; i < length; i++) {
    const info = infos + i * RECORD_LENGTH,
      position = positions + i * RECORD_LENGTH;
    glyphs.push({
      id: view.getUint32(info, true),
      cluster: view.getUint32(info + 8, true),
      advance: view.getInt32(position, true),
      dx: view.getInt32(position + 8, true),
      dy: view.getInt32(position + 12, true),
    });
  }
  return glyphs;
}

function allocate(hb: Exports, bytes: Uint8Array): Pointer {
  const pointer = reserve(hb, bytes.length);
  new Uint8Array(hb.memory.buffer, pointer, bytes.length).set(bytes);
  return pointer;
}

/**
 * Copies a text into HarfBuzz's memory. Each run requires a copy of its whole line, so speed matters. A loop is the
 * fastest way.
 */
function allocateUtf16(hb: Exports, text: string): Pointer {
  const pointer = reserve(hb, text.length * Uint16Array.BYTES_PER_ELEMENT);
  const units = new Uint16Array(hb.memory.buffer, pointer, text.length);
  for (let i = 0; i < text.length; i++) units[i] = text.charCodeAt(i);
  return pointer;
}

function reserve(hb: Exports, bytes: number): Pointer {
  const pointer = hb.malloc(Math.max(1, bytes));
  if (pointer === 0) throw new Error("HarfBuzz has no memory left");
  return pointer;
}

/** Returns HarfBuzz's pointer for a language. The pointer stays valid for the lifetime of the module. */
function languageIn(hb: Exports, language: string): Pointer {
  const bytes = encodeLatin1(language);
  const pointer = allocate(hb, bytes);
  try {
    return hb.hb_language_from_string(pointer, bytes.length);
  } finally {
    hb.free(pointer);
  }
}

/** Packs four letters into a HarfBuzz tag. */
function tag(script: string): number {
  return [0, 1, 2, 3].reduce((packed, i) => (packed << 8) | script.charCodeAt(i), 0);
}
