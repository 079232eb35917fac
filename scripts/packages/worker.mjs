/** A Worker of a caller: it marks the PDF in the body, and answers with the SHA-256 of the result. */
import { watermark } from "@overprint/engine";

export default {
  async fetch(request) {
    const pdf = new Uint8Array(await request.arrayBuffer());
    const options = { date: new Date("2026-01-01"), filename: "contract.pdf" };
    const marked = await watermark(pdf, { text: "DRAFT {page} of {pages}" }, options);
    const digest = await crypto.subtle.digest("SHA-256", await new Response(marked.stream()).arrayBuffer());
    return new Response(Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join(""));
  },
};
