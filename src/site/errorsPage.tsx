import type { OperatorLinks } from "../settings/config.ts";
import { PROBLEMS, type ProblemCode } from "../shared/problems.ts";
import { Prose } from "./prose.tsx";
import { SinglePage } from "./singlePage.tsx";

/** The cause and the remedy of an error code. The build reads both from docs/errors.md. */
export interface Explanation {
  code: string;
  cause: string;
  remedy: string;
}

/** The page at `/docs/errors`: every error code with its cause and its remedy. */
export function ErrorsPage({ explanations, links }: { explanations: Explanation[]; links: OperatorLinks }) {
  return (
    <SinglePage
      title="Errors"
      description="Every error code of the Overprint API: the cause, and what to do."
      lead={
        <>
          Look up the <code>code</code> of an answer. All errors except the 402 of x402 are{" "}
          <code>application/problem+json</code> (RFC 9457). Only a 2xx answer charges you, unless the detail of an error
          says otherwise.
        </>
      }
      links={links}
    >
      <dl class="fields errors">
        {explanations.map(({ code, cause, remedy }) => {
          const { status, title } = PROBLEMS[code as ProblemCode];
          return (
            <>
              <dt id={code}>
                <span class={`status s${String(status)[0]}`}>{status}</span> <code>{code}</code> <span>{title}</span>
              </dt>
              <dd>
                <p>
                  <Prose text={cause} />
                </p>
                <p>
                  <strong>
                    <Prose text={remedy} />
                  </strong>
                </p>
              </dd>
            </>
          );
        })}
      </dl>
    </SinglePage>
  );
}
