import leven from "leven";

/** So many letters may be wrong in the name of a setting for it to be told from another's: two that are swapped. */
const MOST_WRONG_LETTERS = 2;

/**
 * Returns an environment with its plain values as texts, which they are not in wrangler.toml (numbers, booleans), and
 * without the spaces and line's ends that pipes and forms leave around them. What is empty then is left out; tables of
 * TOML and bindings stay as they are.
 */
export function textsOf(env: object): Record<string, unknown> {
  const texts = Object.entries(env).map(([name, value]: [string, unknown]) => [
    name,
    isPlain(value) ? String(value).trim() : value,
  ]);
  return Object.fromEntries(texts.filter(([, value]) => value !== ""));
}

/**
 * Returns the names that are nearly those of settings, and what is meant: with NETWORK=base, calls would be sold on the
 * test network.
 */
export function misspelt(texts: Record<string, unknown>, settings: readonly string[]): string[] {
  return strangers(texts, settings).flatMap((name) => {
    const meant = nearSetting(name, settings);
    return meant === undefined ? [] : `${name} is no setting, ${meant} is`;
  });
}

/**
 * Returns what in the environment of a process is for us, or was meant to be, so that it can be told which was. There the
 * underscores count: PATH is nearly PAY_TO without, and everybody has it.
 */
export function meantForUs(env: NodeJS.ProcessEnv, settings: readonly string[]): Record<string, string> {
  const isOurs = (name: string) => settings.some((setting) => leven(name.toUpperCase(), setting) <= MOST_WRONG_LETTERS);
  const ours = Object.entries(env).filter(([name, value]) => value !== undefined && isOurs(name));
  return Object.fromEntries(ours) as Record<string, string>;
}

/** What the runtime, and the tools that start it, call things of theirs. */
const THE_RUNTIMES = /^(_|CF_|CLOUDFLARE_|WRANGLER_)/;

/** Returns the names that are not those of settings, and not nearly: somebody else's, or a setting of another version. */
export function unknownNames(texts: Record<string, unknown>, settings: readonly string[]): string[] {
  return strangers(texts, settings).filter(
    (name) => !THE_RUNTIMES.test(name) && nearSetting(name, settings) === undefined,
  );
}

/** Returns whether a value is in quotes: a shell takes them off, the dashboard does not. */
export function isQuoted(value: unknown): boolean {
  return typeof value === "string" && /^(["'`“‘«]).*["'`”’»]$/s.test(value);
}

/** What is bound is an object, and may have any name. */
function strangers(texts: Record<string, unknown>, settings: readonly string[]): string[] {
  return Object.keys(texts).filter((name) => !settings.includes(name) && isPlain(texts[name]));
}

function nearSetting(name: string, settings: readonly string[]): string | undefined {
  const [nearest] = settings
    .map((setting) => ({ setting, wrong: leven(lettersOf(name), lettersOf(setting)) }))
    .toSorted((one, other) => one.wrong - other.wrong);
  return nearest && nearest.wrong <= MOST_WRONG_LETTERS ? nearest.setting : undefined;
}

/** Case and underscores are the commonest differences: payTo, PAY-TO. */
function lettersOf(name: string): string {
  return name.toUpperCase().replace(/[^A-Z0-9]/g, "");
}

function isPlain(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}
