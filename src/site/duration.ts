/** Durations as words. */

/** Units in descending order, with their lengths in seconds. */
const UNITS = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
] as const;

/** Formats a number of seconds in the largest unit that yields at least 2: `24 hours`, `90 minutes`. */
export function durationInWords(seconds: number): string {
  const [unit, length] = UNITS.find(([, length]) => seconds >= 2 * length) ?? UNITS[3];
  const format = new Intl.NumberFormat("en", { style: "unit", unit, unitDisplay: "long", maximumFractionDigits: 1 });
  return format.format(seconds / length);
}
