/** Phrases that need a second reading, each with suggestions of better words. See docs/contributing/writing.md. */
export const AVOIDED: [phrase: RegExp, instead: string][] = [
  [/\btold\b/i, "say, report, list"],
  [/\btells\b|\btell of\b/i, "reports, contains, says"],
  [/\bin vain\b/i, "unused, aborted, without effect"],
  [/\banew\b/i, "again"],
  [/\bwhoever\b|\bwhatever\b/i, "the caller, the payer, any"],
  [/\bnobody\b/i, "no caller, no reader"],
  [/\b(is|are) none\b/i, "does not exist, is not a …"],
  [/\blet(s|ting)? go\b/i, "evict, release"],
  [/\blets? others\b|\bgiv(e|es|ing) way\b/i, "yield"],
  [/\b(has|have|having) (\w+ ){1,3}?(be|done)\b(?! )/i, "make, run"],
  [/\bcomes? of\b/i, "results from"],
  [/\bof (its|their|his) own\b/i, "separate, own"],
  [/\bby (itself|themselves)\b/i, "alone, automatically"],
  [/\bby which\b/i, "name the subject"],
  [/\bso many\b/i, "name the number"],
  [/\bas far as\b/i, "up to, if"],
  [/\bwould rather\b/i, "prefers"],
  [/\b(is|are) held to\b/i, "is checked against, must match"],
  [/\b(is|are) there\b(?!\?)/i, "exists"],
  [/\bwants\b/i, "needs"],
  [/\bno longer counts\b/i, "is superseded"],
  [/\bin one go\b/i, "at once, without yielding"],
  [/\bwhat (is|are|was|has been) \w+(ed|en|t) (is|are)\b/i, "name the subject"],
];

/** Openers that hide the subject of a comment. A comment starts with the noun or verb of the field instead. */
export const AVOIDED_OPENERS =
  /^(What|Whoever|That which|Those (that|which|who)|Of (the|those|these|what)|So many|How (many|much|far|long|often))\b/;
