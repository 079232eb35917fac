/** A page of a caller: it marks a PDF in the browser, and writes the SHA-256 of the result into the title. */
import { watermark } from "@overprint/engine";

const pdf = new Uint8Array(await (await fetch("/contract.pdf")).arrayBuffer());
const options = { date: new Date("2026-01-01"), filename: "contract.pdf" };
const marked = await watermark(pdf, { text: "DRAFT {page} of {pages}" }, options);
const digest = await crypto.subtle.digest("SHA-256", await marked.bytes());
document.title = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
