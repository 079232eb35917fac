import leven from "leven";
import { isShortForm, settingWithWords, wordsOfName } from "./settingWords.ts";

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
    const setting = misspelledSetting(name, settings);
    return setting === undefined ? [] : { setting, problem: `${name} is not a setting. Use ${setting}` };
  });
}

/**
 * Returns the problem of each name that shares words with a setting but is not misspelled, such as LINK_TTL with
 * LINK_TTL_SECONDS. Such a variable may also belong to another program.
 */
export function nearMisses(texts: Record<string, unknown>, settings: readonly string[]): SettingProblem[] {
  return foreignNames(texts, settings).flatMap((name) => {
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
    (wordsOfName(name).length > 1 && !RUNTIME_NAMES.test(name) && settingWithWords(name, settings) !== undefined);
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
  return foreignNames(texts, settings).filter((name) => settingWithWords(name, settings) === undefined);
}

/** Returns the names of plain values that are neither settings, nor misspelled settings, nor names of the runtime. */
function foreignNames(texts: Record<string, unknown>, settings: readonly string[]): string[] {
  return nonSettings(texts, settings).filter(
    (name) => !RUNTIME_NAMES.test(name) && misspelledSetting(name, settings) === undefined,
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

function misspelledSetting(name: string, settings: readonly string[]): string | undefined {
  const [nearest] = settings
    .map((setting) => ({ setting, distance: leven(lettersOf(name), lettersOf(setting)) }))
    .toSorted((one, other) => one.distance - other.distance);
  if (!nearest || nearest.distance > MAX_EDIT_DISTANCE) return undefined;
  if (nearest.distance === MAX_EDIT_DISTANCE) {
    // REPO_URL abbreviates REPOSITORY_URL and is no misspelling of RPC_URL
    const meant = settingWithWords(name, settings);
    if (meant !== undefined && meant !== nearest.setting && isShortForm(name, meant)) return undefined;
  }
  const isSwap = sorted(name) === sorted(nearest.setting);
  // a name of three letters with two wrong letters is no misspelling: RPC does not mean MPP
  return nearest.distance < MAX_EDIT_DISTANCE || name.length > 3 || isSwap ? nearest.setting : undefined;
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
