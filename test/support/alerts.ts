/** Evaluates the alert rules of docs/operations/alerts.yml on scraped metrics. */
import { expect } from "vitest";

/** The values of a metric, each with its labels. */
type Samples = { labels: Record<string, string>; value: number }[];

/** Parses metrics in the text format of Prometheus. Throws an error if a line is malformed. */
export function parseMetrics(text: string): Map<string, Samples> {
  const metrics = new Map<string, Samples>();
  for (const line of text.trimEnd().split("\n")) {
    const [, declared] = /^# TYPE (\w+) (?:counter|gauge)$/.exec(line) ?? [];
    if (declared) metrics.set(declared, []);
    if (line.startsWith("#")) continue;
    const [, name = "", labels = "", value = ""] = /^(\w+)(?:\{(.*)\})? ([\d.e+-]+)$/.exec(line) ?? [];
    expect(metrics.has(name), line).toBe(true);
    const pairs = Array.from(labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g), ([, label, text]) => [label!, text!]);
    metrics.get(name)!.push({ labels: Object.fromEntries(pairs), value: Number(value) });
  }
  return metrics;
}

/** Returns the expressions of the rules, by the name of the alert. */
export function rulesIn(document: string): Map<string, string> {
  return new Map(Array.from(document.matchAll(/- alert: (\w+)\n +expr: (.+)/g), ([, name, expr]) => [name!, expr!]));
}

/**
 * Returns whether an alert's expression is true between two scrapes, ignoring its `for`. An empty scrape stands for a
 * failed scrape. Supports only the kinds of expression in the rules.
 * @param now time of the evaluation, in seconds
 */
export function fires(expr: string, before: string, after: string, now: number): boolean {
  const metric = "(\\w+)(?:\\{(.*?)\\})?";
  const match = (pattern: string) => new RegExp(`^${pattern}$`).exec(expr)?.slice(1);
  const sum = (text: string, name = "", selector = "") => {
    const chosen = parseMetrics(text).get(name);
    expect(chosen, `${name} is a metric`).toBeDefined();
    return chosen!.filter(({ labels }) => isChosen(labels, selector)).reduce((total, { value }) => total + value, 0);
  };
  const isUp = match('up\\{job="overprint"\\} == 0');
  if (isUp) return after === "";
  const increase = match(String.raw`sum\(increase\(${metric}\[\w+\]\)\) > (\d+)`);
  if (increase) {
    const [name, selector, least] = increase;
    return sum(after, name, selector) - sum(before, name, selector) > Number(least);
  }
  const state = match(`${metric} == 1`);
  if (state) return sum(after, state[0], state[1]) === 1;
  const [age, ageLimit] = match(String.raw`time\(\) - (\w+) > (\d+) or absent\(\1\)`) ?? [];
  if (age) return now - sum(after, age) > Number(ageLimit); // the sum of an absent metric is 0
  const [since, longest] = match(String.raw`time\(\) - (\w+) > (\d+)`) ?? [];
  if (since) return parseMetrics(after).get(since)!.length > 0 && now - sum(after, since) > Number(longest);
  const [deadline, left] = match(String.raw`(\w+) - time\(\) < (\d+)`) ?? [];
  if (deadline) return parseMetrics(after).get(deadline)!.length > 0 && sum(after, deadline) - now < Number(left);
  throw new Error(`an expression of an unknown form: ${expr}`);
}

/** Whether labels match a selector such as `code="a",status=~"5.."`. */
function isChosen(labels: Record<string, string>, selector: string): boolean {
  const terms = Array.from(selector.matchAll(/(\w+)(=~?)"([^"]*)"/g));
  return terms.every(([, label = "", operator, value]) =>
    operator === "=" ? labels[label] === value : new RegExp(`^(?:${value})$`).test(labels[label] ?? ""),
  );
}
