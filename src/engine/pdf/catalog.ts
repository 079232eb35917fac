/** Reads document-wide properties from the catalog (ISO 32000-2, 7.7.2). */
import { EngineError } from "../errors.ts";
import { Malformed } from "./lexer.ts";
import type { Objects } from "./objects.ts";
import { type Dictionary, Reference, type Value } from "./values.ts";

/**
 * Reads the catalog.
 * @throws Malformed if the trailer's /Root does not lead to a catalog with a page tree
 */
export function readCatalog(objects: Objects, trailer: Dictionary): Dictionary {
  const catalog = objects.dictionary(trailer.get("Root"));
  if (!catalog?.has("Pages")) throw new Malformed("no catalog");
  return catalog;
}

/**
 * Returns whether changing a page breaks a digital signature: the AcroForm's /SigFlags has the bit SignaturesExist
 * (12.7.3), or a certification restricts changes (12.8.6).
 */
export function isSigned(objects: Objects, catalog: Dictionary): boolean {
  const form = objects.dictionary(catalog.get("AcroForm"));
  const flags = form ? objects.resolve(form.get("SigFlags")) : null;
  if (typeof flags === "number" && flags & 1) return true;
  const permissions = objects.dictionary(catalog.get("Perms"));
  return permissions?.has("DocMDP") === true;
}

/**
 * Returns whether the document is a portfolio (12.3.5): readers show its attachments, and its pages only where they
 * know no portfolios.
 */
export function isPortfolio(objects: Objects, catalog: Dictionary): boolean {
  return objects.dictionary(catalog.get("Collection")) !== undefined;
}

/**
 * Rejects dynamic XFA forms. Their pages hold at most a notice for readers without XFA; other readers lay out pages
 * from XML, so a mark on the PDF's pages would not be seen. Static XFA forms have fields and pages of their own.
 * @throws EngineError `xfa_not_supported`
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

/**
 * Returns the reference to the root of the page tree, which has to be an indirect object.
 * @throws Malformed if /Pages is not a reference
 */
export function pageTreeRoot(catalog: Dictionary): Reference {
  const pages: Value | undefined = catalog.get("Pages");
  if (!(pages instanceof Reference)) throw new Malformed("the catalog has no page tree");
  return pages;
}
