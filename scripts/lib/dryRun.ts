/**
 * Returns whether `--dry-run` was given. Without a `--` before the flag, npm consumes it and sets an environment
 * variable.
 */
export function isDryRun(flag: boolean | undefined): boolean {
  return flag === true || process.env.npm_config_dry_run === "true";
}
