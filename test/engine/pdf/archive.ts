import { srgbProfile } from "../../../src/engine/images/calibratedProfile.ts";
import { profile } from "../images/profile.ts";
import { type Bodies, FileBuilder, onePage } from "./fixture.ts";

/** Returns XMP metadata with these PDF/A properties as attributes. */
export function xmp(properties: string, namespace = 'xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/"'): string {
  return (
    `<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">` +
    `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">` +
    `<rdf:Description rdf:about="" ${namespace} ${properties}/></rdf:RDF></x:xmpmeta><?xpacket end="w"?>`
  );
}

const CMYK_PROFILE = profile({ space: "CMYK", deviceClass: "prtr", version: 2 });

/**
 * Returns a one-page file, which claims to be PDF/A if `part` is set.
 * @param part part of ISO 19005
 * @param intent number of components of the output intent's profile. If omitted, the file has no output intent
 */
export function archive({
  part,
  intent,
  resources = "",
  more = {},
}: {
  part?: number;
  intent?: number | undefined;
  resources?: string;
  more?: Bodies;
}): Uint8Array {
  const claim = part === undefined ? "" : "/Metadata 5 0 R";
  const intents = intent === undefined ? "" : "/OutputIntents[6 0 R]";
  const bodies = onePage(`/MediaBox[0 0 300 400]/Contents 4 0 R/Resources<<${resources}>>`, {
    1: `<</Type/Catalog/Pages 2 0 R${claim}${intents}>>`,
    4: { data: intent === undefined ? "n" : "0.5 g 20 20 60 40 re f" },
    5: { dict: "/Type/Metadata/Subtype/XML", data: xmp(`pdfaid:part="${part}" pdfaid:conformance="B"`) },
    6: "<</Type/OutputIntent/S/GTS_PDFA1/OutputConditionIdentifier(Custom)/Info(x)/DestOutputProfile 7 0 R>>",
    7: { dict: `/N ${intent ?? 3}`, data: intent === 4 ? CMYK_PROFILE : srgbProfile(intent === 1 ? 1 : 3) },
    ...more,
  });
  const trailer = "/Root 1 0 R/ID[<00112233445566778899aabbccddeeff><00112233445566778899aabbccddeeff>]";
  return new FileBuilder("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n").objects(bodies).table({ trailer }).bytes();
}
