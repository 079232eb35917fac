/** Returns whether `--dry-run` was asked for. Where no `--` is before it, npm keeps it for itself, and says so in the environment. */
export function isDryRun(flag: boolean | undefined): boolean {
  return flag === true || process.env.npm_config_dry_run === "true";
}
