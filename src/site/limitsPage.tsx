import type { OperatorLinks } from "../settings/config.ts";
import { Document } from "./document.tsx";
import { Footer, Masthead } from "./frame.tsx";
import { Prose } from "./prose.tsx";

/** A limit of the deployment. */
export interface ShownLimit {
  name: string;
  value: string | number | readonly (string | number)[];
  description: string | undefined;
}

/** The page at `/docs/limits`: every limit of the deployment with its value. */
export function LimitsPage({ limits, links }: { limits: ShownLimit[]; links: OperatorLinks }) {
  return (
    <Document title="Overprint: limits" description="Every limit of this deployment of Overprint." styles="reading">
      <Masthead />
      <main class="reference single">
        <header>
          <h1>Limits</h1>
          <p class="lead">
            These are the limits of this deployment. Programs read them from <a href="/v1/limits">/v1/limits</a>.
          </p>
        </header>
        <dl class="fields limits">
          {limits.map(({ name, value, description }) => (
            <>
              <dt id={name}>
                <code>{name}</code> <strong>{inWords(name, value)}</strong>
              </dt>
              {description && (
                <dd>
                  <Prose text={description} />
                </dd>
              )}
            </>
          ))}
        </dl>
      </main>
      <Footer links={links} />
    </Document>
  );
}

/** Formats a value with the unit that the limit's name ends in. */
function inWords(name: string, value: ShownLimit["value"]): string {
  if (typeof value === "string") return value;
  if (typeof value !== "number") return value.join(", ");
  const number = value.toLocaleString("en");
  if (!/(^|_)bytes(_|$)/.test(name) || value < 10_000) return number;
  const [unit, size] = value < 1e6 ? ["KB", value / 1e3] : value < 1e9 ? ["MB", value / 1e6] : ["GB", value / 1e9];
  return `${number} (${size.toLocaleString("en", { maximumSignificantDigits: 3 })} ${unit})`;
}
