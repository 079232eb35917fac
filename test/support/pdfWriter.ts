import { deflateSync } from "node:zlib";

/**
 * Writes PDFs of any size. Objects appear in the order of writing. They are followed by a cross-reference table, or by
 * a cross-reference stream if the file has object streams.
 */
export class PdfWriter {
  readonly #parts: Buffer[] = [Buffer.from("%PDF-1.5\n%\xe2\xe3\xcf\xd3\n", "latin1")];
  #length = this.#parts[0]!.length;
  /** The location of each object, by object number: an offset in the file, or a position in an object stream. */
  readonly #entries = new Map<number, number | { stream: number; index: number }>();
  #next = 1;

  reserve(): number {
    return this.#next++;
  }

  object(body: string, number = this.reserve()): number {
    return this.#write(number, Buffer.from(body, "latin1"));
  }

  stream(entries: string, data: Uint8Array, number = this.reserve()): number {
    const head = Buffer.from(`<< ${entries} /Length ${data.length} >>\nstream\n`, "latin1");
    return this.#write(number, Buffer.concat([head, data, Buffer.from("\nendstream", "latin1")]));
  }

  /** Writes objects with the given numbers into one compressed object stream (ISO 32000-2, 7.5.7). */
  objectStream(objects: [number: number, body: string][]): void {
    const stream = this.reserve();
    let index = "",
      bodies = "";
    for (const [position, [number, body]] of objects.entries()) {
      index += `${number} ${bodies.length} `;
      bodies += `${body}\n`;
      this.#entries.set(number, { stream, index: position });
    }
    const data = deflateSync(Buffer.from(index + bodies, "latin1"));
    this.stream(`/Type /ObjStm /N ${objects.length} /First ${index.length} /Filter /FlateDecode`, data, stream);
  }

  finish(root: number, table: "classic" | "stream"): Uint8Array<ArrayBuffer> {
    const start = this.#length;
    if (table === "classic") this.#classic(root);
    else this.#xrefStream(root);
    this.#push(Buffer.from(`startxref\n${start}\n%%EOF\n`, "latin1"));
    return new Uint8Array(Buffer.concat(this.#parts));
  }

  #classic(root: number) {
    const rows = ["0000000000 65535 f \n"];
    for (let number = 1; number < this.#next; number++)
      rows.push(`${String(this.#entries.get(number) as number).padStart(10, "0")} 00000 n \n`);
    this.#push(
      Buffer.from(
        `xref\n0 ${this.#next}\n${rows.join("")}trailer\n<< /Size ${this.#next} /Root ${root} 0 R >>\n`,
        "latin1",
      ),
    );
  }

  #xrefStream(root: number) {
    const own = this.reserve();
    this.#entries.set(own, this.#length);
    const rows = Buffer.alloc(7 * this.#next);
    for (const [number, entry] of this.#entries) {
      const row = rows.subarray(7 * number);
      row[0] = typeof entry === "number" ? 1 : 2;
      row.writeUInt32BE(typeof entry === "number" ? entry : entry.stream, 1);
      row.writeUInt16BE(typeof entry === "number" ? 0 : entry.index, 5);
    }
    this.stream(
      `/Type /XRef /Size ${this.#next} /W [1 4 2] /Root ${root} 0 R /Filter /FlateDecode`,
      deflateSync(rows),
      own,
    );
  }

  #write(number: number, body: Buffer): number {
    this.#entries.set(number, this.#length);
    this.#push(Buffer.from(`${number} 0 obj\n`, "latin1"), body, Buffer.from("\nendobj\n", "latin1"));
    return number;
  }

  #push(...parts: Buffer[]) {
    for (const part of parts) {
      this.#parts.push(part);
      this.#length += part.length;
    }
  }
}
