/** What the catalog tells about the whole document (ISO 32000-2, 7.7.2). */
import { EngineError } from "../errors.ts";
import { Malformed } from "./lexer.ts";
import type { Objects } from "./objects.ts";
import { type Dictionary, Reference, type Value } from "./values.ts";

/** The catalog. Throws Malformed where the trailer names none that has a page tree. */
export function readCatalog(objects: Objects, trailer: Dictionary): Dictionary {
  const catalog = objects.dictionary(trailer.get("Root"));
  if (!catalog?.has("Pages")) throw new Malformed("no catalog");
  return catalog;
}

/**
 * True where a change of a page breaks a digital signature: a field is signed (the AcroForm says so in SigFlags, 12.7.3) or
 * a certification restricts changes (12.8.6).
 */
export function isSigned(objects: Objects, catalog: Dictionary): boolean {
  const form = objects.dictionary(catalog.get("AcroForm"));
  const flags = form ? objects.resolve(form.get("SigFlags")) : null;
  if (typeof flags === "number" && flags & 1) return true;
  const permissions = objects.dictionary(catalog.get("Perms"));
  return permissions?.has("DocMDP") === true;
}

/**
 * Refuses dynamic XFA forms: their pages hold a notice for readers without XFA at most, and what others show is laid out
 * from XML, so that a mark on the pages would not be seen. Static XFA forms have fields and pages of their own.
 */
export function refuseDynamicXfa(objects: Objects, catalog: Dictionary): void {
  const form = objects.dictionary(catalog.get("AcroForm"));
  if (!form?.has("XFA")) return;
  const fields = objects.resolve(form.get("Fields"));
  const hasFields = Array.isArray(fields) && fields.length > 0;
  if (objects.resolve(catalog.get("NeedsRendering")) !== true && hasFields) return;
  throw new EngineError(
    "xfa_not_supported",
    "The PDF is a dynamic XFA form: its pages are made by the reader. Print it to PDF first.",
  );
}

/** The root of the page tree, which the format wants to be an object of its own. Throws Malformed. */
export function pageTreeRoot(catalog: Dictionary): Reference {
  const pages: Value | undefined = catalog.get("Pages");
  if (!(pages instanceof Reference)) throw new Malformed("the catalog has no page tree");
  return pages;
}
