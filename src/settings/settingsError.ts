/** Thrown for invalid settings. The message is public. It therefore names settings but contains no values. */
export class SettingsError extends Error {
  readonly problems: string[];

  constructor(problems: string[]) {
    super(`The Worker's settings are invalid: ${problems.join("; ")}`);
    this.problems = problems;
  }
}
