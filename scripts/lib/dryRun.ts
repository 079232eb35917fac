/**
 * Returns whether `--dry-run` was given. Without a `--` before it, npm takes the flag itself and sets an environment
 * variable.
 */
export function isDryRun(flag: boolean | undefined): boolean {
  return flag === true || process.env.npm_config_dry_run === "true";
}
