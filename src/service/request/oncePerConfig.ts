import type { Config } from "../../settings/config.ts";

/** Memoizes `make` per Config object. `make` runs on first use, and its value lives as long as the Config object. */
export function oncePerConfig<T extends object>(make: (config: Config) => T): (config: Config) => T {
  const made = new WeakMap<Config, T>();
  return (config) => {
    const value = made.get(config) ?? make(config);
    made.set(config, value);
    return value;
  };
}

/**
 * Maximum number of cached origins per deployment. A limit is needed because callers choose the origin if routes are
 * wildcards.
 */
const MAX_ORIGINS = 4;

/** Memoizes `make` per origin and Config object, for the last `MAX_ORIGINS` origins of each Config. */
export function oncePerOrigin<T>(make: (origin: string, config: Config) => T): (origin: string, config: Config) => T {
  const madeFor = oncePerConfig(() => new Map<string, T>());
  return (origin, config) => {
    const made = madeFor(config);
    const value = made.get(origin) ?? make(origin, config);
    if (made.size === MAX_ORIGINS && !made.has(origin)) made.delete(made.keys().next().value!);
    made.set(origin, value);
    return value;
  };
}
