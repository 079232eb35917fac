/** Compares the names of variables and settings word by word. */
import leven from "leven";

/** Words of the settings, each with other words for the same thing. */
const SYNONYMS = Object.entries({
  PAY_TO: "WALLET RECIPIENT RECEIVER PAYEE PAYOUT SELLER",
  TO: "ADDRESS",
  PRICE: "COST FEE AMOUNT",
  NETWORKS: "CHAIN CHAINS BLOCKCHAIN BLOCKCHAINS",
  RPC: "NODE PROVIDER",
  URL: "ENDPOINT URI PAGE HOST",
  CDP: "COINBASE",
  AUTHORIZATION: "TOKEN KEY BEARER CREDENTIALS",
  TOKEN: "KEY SECRET PASSWORD",
  KEY: "SECRET",
  RECEIPT: "SIGNING OFFER",
  OPERATOR: "ADMIN OWNER",
  SELLING: "SALES",
  HOSTS: "ORIGIN ORIGINS DOMAIN DOMAINS",
  BLOCKED: "BLOCKLIST BLACKLIST DENYLIST DENIED BANNED",
  CONTACT: "SUPPORT ADMIN OWNER OPERATOR",
  REPOSITORY: "GITHUB GIT CODE SOURCE",
  TERMS: "TOS AGB CONDITIONS",
  IMPRINT: "IMPRESSUM LEGAL",
  LINK: "RESULT DOWNLOAD FILE",
  TTL: "LIFETIME EXPIRY EXPIRES EXPIRATION DURATION VALIDITY",
  SOURCE: "FILE PDF DOCUMENT UPLOAD INPUT",
  BODY: "UPLOAD REQUEST",
  BYTES: "SIZE KB MB GB LENGTH",
  SECONDS: "MINUTES HOURS DAYS MS MINUTE HOUR",
  BYTES_PER_SECOND: "SPEED RATE",
  PER_PAYER: "CONCURRENT PARALLEL",
  UNCHARGED: "FREE UNPAID",
  MAX: "LIMIT",
  FETCH: "HTTP REQUEST DOWNLOAD",
  FILE: "DOWNLOAD RESULT",
  CHECK: "RESOLVER SERVER",
  DNS_CHECK: "DOH",
  LOOPBACK: "LOCALHOST",
  IMAGE_PIXELS: "MEGAPIXELS",
  DEFAULT: "IDEMPOTENCY",
}).map(([words, others], rank) => ({ words: words.split("_"), others: new Set(others.split(" ")), rank }));

/** Maximum number of words that a prefix and a suffix may add to the name of a setting. */
const MAX_ADDED_WORDS = 2;
/** Minimum length of a single word that several settings contain, such as FACILITATOR. HOST and KEY are too common. */
const MIN_COMMON_WORD = 5;

/**
 * Returns the setting that shares most words or synonyms with a name. The name may have up to two additional words
 * (PRICE_USDC), or lack at most half of the setting's words (LINK_TTL). Or one word differs, and at least two other
 * words match (LINK_TTL_WEEKS).
 */
export function settingWithWords(name: string, settings: readonly string[]): string | undefined {
  const words = wordsOfName(name).map((word) => ({
    word,
    synonyms: SYNONYMS.filter(({ others }) => others.has(word)),
  }));
  const all = settings.map((setting) => ({ setting, own: wordsOfName(setting) }));
  const isTooCommon = (word: string) =>
    word.length < MIN_COMMON_WORD && all.filter(({ own }) => hasAlike(own, word)).length > 1;
  const found = all
    .flatMap(({ setting, own }) =>
      withSynonyms(words, own)
        .filter(({ words: [first, ...others] }) => others.length > 0 || !isTooCommon(first!))
        .flatMap(({ words: variant, replaced, rank }) => {
          const match = matchOf(variant, own);
          return match ? { ...match, setting, score: match.score - 2 * replaced, rank } : [];
        }),
    )
    .toSorted((one, other) => other.score - one.score || one.rank - other.rank);
  const [best] = found;
  const next = found.find(({ setting }) => setting !== best!.setting);
  // returns no setting for a name such as MAX_FOO_BYTES, which could stand for several settings
  if (best?.isReplaced && next?.score === best.score) return undefined;
  return best?.setting;
}

/** Returns whether all words of a name are words of a setting, or shortened words of it. */
export function isShortForm(name: string, setting: string): boolean {
  const own = wordsOfName(setting);
  return wordsOfName(name).every((word) => hasAlike(own, word));
}

/** A name in which synonyms replace some of the words. */
interface Variant {
  words: string[];
  /** Number of replaced words. */
  replaced: number;
  /** Sum of the synonyms' ranks. Of two settings that match equally, the one with the lower rank is meant. */
  rank: number;
}

/**
 * Returns the words themselves, and all variants with synonyms.
 * @param own words of a setting. Synonyms that share no word with the setting are left out, because they never match
 */
function withSynonyms(
  [first, ...rest]: readonly { word: string; synonyms: typeof SYNONYMS }[],
  own: readonly string[],
): Variant[] {
  if (!first) return [{ words: [], replaced: 0, rank: 0 }];
  const synonyms = first.synonyms.filter(({ words }) => words.some((word) => hasAlike(own, word)));
  return withSynonyms(rest, own).flatMap(({ words, replaced, rank }) => [
    { words: [first.word, ...words], replaced, rank },
    ...synonyms.map((synonym) => ({
      words: [...synonym.words, ...words],
      replaced: replaced + 1,
      rank: rank + synonym.rank,
    })),
  ]);
}

/** Compares a name with a setting. A higher score means that they share more words. Returns undefined for too few. */
function matchOf(words: readonly string[], own: readonly string[]): { score: number; isReplaced: boolean } | undefined {
  const common = own.filter((word) => hasAlike(words, word)).length;
  const added = words.filter((word) => !hasAlike(own, word)).length;
  const missing = own.length - common;
  const isNear =
    missing === 0
      ? added <= MAX_ADDED_WORDS
      : added === 0
        ? common * 2 >= own.length
        : added === 1 && missing === 1 && common > 1;
  const exact = own.filter((word) => words.includes(word)).length;
  return isNear ? { score: 4 * common - 2 * added - missing + exact, isReplaced: added > 0 && missing > 0 } : undefined;
}

/** Returns the words of a name in upper case. Words end at underscores, hyphens and before capital letters. */
export function wordsOfName(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toUpperCase()
    .split(/[^A-Z0-9]+/)
    .filter(Boolean);
}

/** Returns whether a list contains the word, its plural, an abbreviation of at least three letters, or a misspelling. */
function hasAlike(words: readonly string[], word: string): boolean {
  return words.some((other) => {
    const shorter = Math.min(word.length, other.length);
    if (shorter < 3) return word === other;
    return word.startsWith(other) || other.startsWith(word) || (shorter > 4 && leven(word, other) < 2);
  });
}
