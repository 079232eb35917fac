/**
 * The answers that a client received. Each answer proves an ability of the client.
 * @typedef {object} Answers
 * @property {string[]} [listed] names of tools, or paths of endpoints
 * @property {{ handle?: string }} [uploaded] the answer to the free call
 * @property {string} [terms] text in which a person or a model sees the payment terms
 * @property {{ output?: { url: string } }} [bought] the answer to the paid call
 */

const LISTED = [
  ["add_text_watermark", "add_image_watermark", "request_upload"],
  ["/v1/watermark/text", "/v1/watermark/image", "/v1/uploads"],
];

/**
 * Returns the abilities of a client that are proven by the answers that the client received.
 * @param {Answers} answers
 * @returns {Promise<import("./clients.ts").KnownClient["can"]>}
 */
export async function provenBy({ listed = [], uploaded, terms = "", bought }) {
  const isSold = bought?.output !== undefined && (await isPdf(bought.output.url));
  /**
   * Each ability, and whether the answers prove it. @type {[import("./clients.ts").KnownClient["can"][number],
   * boolean][]}
   */
  const proofs = [
    ["list", LISTED.some((names) => names.every((name) => listed.includes(name)))],
    ["free", uploaded?.handle?.startsWith("upload:") === true],
    ["terms", isSold || /0\.05 USD/.test(terms)],
    ["buy", isSold],
  ];
  return proofs.filter(([, isProven]) => isProven).map(([ability]) => ability);
}

/** Returns whether a URL serves a PDF. @param {string} url */
async function isPdf(url) {
  const pdf = await (await fetch(url)).bytes();
  return new TextDecoder().decode(pdf.subarray(0, 5)) === "%PDF-";
}
