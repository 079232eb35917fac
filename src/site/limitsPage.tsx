import type { OperatorLinks } from "../settings/config.ts";
import { Prose } from "./prose.tsx";
import { SinglePage } from "./singlePage.tsx";

/** A limit of the deployment. */
export interface ShownLimit {
  name: string;
  value: string | number | readonly (string | number)[];
  description: string | undefined;
}

/** The page at `/docs/limits`: every limit of the deployment with its value. */
export function LimitsPage({ limits, links }: { limits: ShownLimit[]; links: OperatorLinks }) {
  return (
    <SinglePage
      title="Limits"
      description="Every limit of this deployment of Overprint."
      lead={
        <>
          These are the limits of this deployment. Programs read them from <a href="/v1/limits">/v1/limits</a>.
        </>
      }
      links={links}
    >
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
    </SinglePage>
  );
}

/** Formats the value of a limit. Adds the size in KB, MB or GB to a large number of bytes. */
function inWords(name: string, value: ShownLimit["value"]): string {
  if (typeof value === "string") return value;
  if (typeof value !== "number") return value.join(", ");
  const number = value.toLocaleString("en");
  if (!/(^|_)bytes(_|$)/.test(name) || value < 10_000) return number;
  const [unit, size] = value < 1e6 ? ["KB", value / 1e3] : value < 1e9 ? ["MB", value / 1e6] : ["GB", value / 1e9];
  return `${number} (${size.toLocaleString("en", { maximumSignificantDigits: 3 })} ${unit})`;
}
