import leven from "leven";

/**
 * Maximum edit distance between a misspelled name and the intended setting. Two swapped letters count as distance 2.
 */
const MAX_EDIT_DISTANCE = 2;

/**
 * Returns an environment with its plain values converted to trimmed texts. Values in wrangler.toml may be numbers or
 * booleans, and values from pipes and forms may have extra spaces and line breaks. Omits empty values. Leaves TOML
 * tables and bindings unchanged.
 */
export function textsOf(env: object): Record<string, unknown> {
  const texts = Object.entries(env).map(([name, value]: [string, unknown]) => [
    name,
    isPlain(value) ? String(value).trim() : value,
  ]);
  return Object.fromEntries(texts.filter(([, value]) => value !== ""));
}

/** A problem of a setting or of its name. */
export interface SettingProblem {
  setting: string;
  problem: string;
}

/**
 * Returns the problem of each misspelled setting. Ignoring a misspelled setting would be dangerous: with
 * NETWORK=base instead of NETWORKS=base, the service would sell calls on the default test network.
 */
export function misspelledNames(texts: Record<string, unknown>, settings: readonly string[]): SettingProblem[] {
  return nonSettings(texts, settings).flatMap((name) => {
    const setting = nearSetting(name, settings);
    return setting === undefined ? [] : { setting, problem: `${name} is not a setting. Use ${setting}` };
  });
}

/**
 * Returns the problem of each name that shares words with a setting but is not misspelled, such as LINK_TTL with
 * LINK_TTL_SECONDS. Such a variable may also belong to another program.
 */
export function nearMisses(texts: Record<string, unknown>, settings: readonly string[]): SettingProblem[] {
  return nonSettings(texts, settings).flatMap((name) => {
    if (RUNTIME_NAMES.test(name) || nearSetting(name, settings) !== undefined) return [];
    const setting = settingWithWords(name, settings);
    return setting === undefined ? [] : { setting, problem: `${name} is not a setting. Did you mean ${setting}?` };
  });
}

/**
 * Returns the variables of a process environment that are settings, misspelled settings, or variables that {@link
 * nearMisses} reports. Unlike {@link misspelledNames}, compares names with their underscores. Otherwise PATH would
 * count as a misspelling of PAY_TO.
 */
export function settingsIn(env: NodeJS.ProcessEnv, settings: readonly string[]): Record<string, string> {
  const isSetting = (name: string) =>
    settings.some((setting) => leven(name.toUpperCase(), setting) <= MAX_EDIT_DISTANCE) ||
    (wordsOf(name).length > 1 && !RUNTIME_NAMES.test(name) && settingWithWords(name, settings) !== undefined);
  const found = Object.entries(env).filter(([name, value]) => value !== undefined && isSetting(name));
  return Object.fromEntries(found) as Record<string, string>;
}

/** Names that belong to the runtime and the tools that start it. */
const RUNTIME_NAMES = /^(_|CF_|CLOUDFLARE_|WRANGLER_)/;

/**
 * Returns the names that resemble no setting. Such names may belong to another program, or to
 * another version of Overprint.
 */
export function unknownNames(texts: Record<string, unknown>, settings: readonly string[]): string[] {
  return nonSettings(texts, settings).filter(
    (name) =>
      !RUNTIME_NAMES.test(name) &&
      nearSetting(name, settings) === undefined &&
      settingWithWords(name, settings) === undefined,
  );
}

/** Returns whether a value is in quotes. A shell removes quotes, but Cloudflare's dashboard does not. */
export function isQuoted(value: unknown): boolean {
  return typeof value === "string" && /^(["'`“‘«]).*["'`”’»]$/s.test(value);
}

/** Returns the names of plain values that are not settings. A binding is an object and may have any name. */
function nonSettings(texts: Record<string, unknown>, settings: readonly string[]): string[] {
  return Object.keys(texts).filter((name) => !settings.includes(name) && isPlain(texts[name]));
}

function nearSetting(name: string, settings: readonly string[]): string | undefined {
  const [nearest] = settings
    .map((setting) => ({ setting, distance: leven(lettersOf(name), lettersOf(setting)) }))
    .toSorted((one, other) => one.distance - other.distance);
  if (!nearest || nearest.distance > MAX_EDIT_DISTANCE) return undefined;
  // REPO_URL abbreviates REPOSITORY_URL and is no misspelling of RPC_URL
  if (nearest.distance === MAX_EDIT_DISTANCE && (shortened(name, settings) ?? nearest.setting) !== nearest.setting)
    return undefined;
  const isSwap = sorted(name) === sorted(nearest.setting);
  // a name of three letters with two wrong letters is no misspelling: RPC does not mean MPP
  return nearest.distance < MAX_EDIT_DISTANCE || name.length > 3 || isSwap ? nearest.setting : undefined;
}

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
}).map(([words, others]) => ({ words: words.split("_"), others: new Set(others.split(" ")) }));
/** Maximum number of words in a name whose synonyms are compared too. */
const MAX_WORDS = 6;

/** Maximum number of words that a prefix and a suffix may add to the name of a setting. */
const MAX_ADDED_WORDS = 2;
/** Minimum length of a single word that several settings contain, such as FACILITATOR. HOST and KEY are too common. */
const MIN_COMMON_WORD = 5;

/** Returns the setting of which a name is a short form: the name lacks words (MIN_BODY_BYTES) or letters (REPO_URL). */
function shortened(name: string, settings: readonly string[]): string | undefined {
  const setting = settingWithWords(name, settings);
  return wordsOf(name).every((word) => hasAlike(wordsOf(setting ?? ""), word)) ? setting : undefined;
}

/**
 * Returns the setting that shares most words or synonyms with a name. The name has additional words (PRICE_USDC), lacks
 * at most half of the words (LINK_TTL), or has one other word among at least three (LINK_TTL_HOURS).
 */
function settingWithWords(name: string, settings: readonly string[]): string | undefined {
  const words = wordsOf(name);
  const variants = words.length > MAX_WORDS ? [{ words, replaced: 0 }] : withSynonyms(words);
  const found = variants
    .flatMap(({ words: variant, replaced }) =>
      sharingWords(variant, settings).map((match) => ({ ...match, score: match.score - 2 * replaced })),
    )
    .toSorted((one, other) => other.score - one.score);
  const [best] = found;
  const next = found.find(({ setting }) => setting !== best!.setting);
  // returns no setting for a name such as MAX_FOO_BYTES, which could stand for several settings
  if (best?.isReplaced && next?.score === best.score) return undefined;
  return best?.setting;
}

/**
 * Returns the words themselves, and all variants in which synonyms replace some of the words. `replaced` is the number
 * of replaced words.
 */
function withSynonyms([word, ...rest]: readonly string[]): { words: string[]; replaced: number }[] {
  if (word === undefined) return [{ words: [], replaced: 0 }];
  const synonyms = SYNONYMS.filter(({ others }) => others.has(word));
  return withSynonyms(rest).flatMap(({ words, replaced }) => [
    { words: [word, ...words], replaced },
    ...synonyms.map((synonym) => ({ words: [...synonym.words, ...words], replaced: replaced + 1 })),
  ]);
}

/** Returns the settings that share enough words with a name. A higher score means that they share more words. */
function sharingWords(words: readonly string[], settings: readonly string[]) {
  const isTooCommon = (word: string) =>
    word.length < MIN_COMMON_WORD && settings.filter((setting) => hasAlike(wordsOf(setting), word)).length > 1;
  if (words.length === 1 && isTooCommon(words[0]!)) return [];
  return settings
    .map((setting) => {
      const own = wordsOf(setting);
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
      return { setting, isNear, score: 4 * common - 2 * added - missing + exact, isReplaced: added > 0 && missing > 0 };
    })
    .filter(({ isNear }) => isNear);
}

function wordsOf(name: string): string[] {
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

function sorted(name: string): string {
  return [...lettersOf(name)].toSorted().join("");
}

/**
 * Returns a name in one case, without its underscores and hyphens. Most misspelled names differ from the setting only
 * in case, underscores and hyphens, such as payTo and PAY-TO.
 */
function lettersOf(name: string): string {
  return name.toUpperCase().replace(/[^A-Z0-9]/g, "");
}

function isPlain(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}
