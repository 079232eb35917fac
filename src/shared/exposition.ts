/** Writes metrics in the text format of Prometheus, version 0.0.4. */
import { COUNTERS, countsOf } from "./counters.ts";

/** One sample: its labels, and its value. */
export type Sample = [labels: Record<string, string>, value: number];

/** Returns one metric: its help text, its type and its samples. */
export function metricText(name: string, type: "counter" | "gauge", help: string, samples: Sample[]): string {
  const lines = samples.map(([labels, value]) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
    return `${name}${pairs.length > 0 ? `{${pairs.join()}}` : ""} ${value}\n`;
  });
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}

/** Returns all counters of this isolate in Prometheus's text format. */
export function countersText(): string {
  const names = Object.keys(COUNTERS) as (keyof typeof COUNTERS)[];
  const texts = names.map((name) => {
    const { help, labels } = COUNTERS[name];
    const samples = countsOf(name).map(({ labels: values, value }): Sample => {
      return [Object.fromEntries(labels.map((label, index) => [label, values[index]!])), value];
    });
    return metricText(name, "counter", help, samples);
  });
  return texts.join("");
}

/** Escapes a label's value (Prometheus, "Text-based format"). */
function escaped(text: string): string {
  return text.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n");
}
