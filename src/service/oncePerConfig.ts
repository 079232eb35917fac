import type { Config } from "../config.ts";

/** Memoizes `make` per Config object: it runs on first use, and its value lives as long as the Config does. */
export function oncePerConfig<T extends object>(make: (config: Config) => T): (config: Config) => T {
  const made = new WeakMap<Config, T>();
  return (config) => {
    const value = made.get(config) ?? make(config);
    made.set(config, value);
    return value;
  };
}
