import type { Config } from "../config.ts";

/** Makes something of a deployment's settings when it is first asked for, and keeps it for as long as they are in use. */
export function oncePerConfig<T extends object>(make: (config: Config) => T): (config: Config) => T {
  const made = new WeakMap<Config, T>();
  return (config) => {
    const value = made.get(config) ?? make(config);
    made.set(config, value);
    return value;
  };
}
