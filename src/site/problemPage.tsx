import { PROBLEMS, type Problem, type ProblemCode } from "../shared/problems.ts";
import { Document } from "./document.tsx";
import { Masthead } from "./frame.tsx";
import { Prose } from "./prose.tsx";

/** What somebody who has opened an address is told: what happened, and what to do. */
interface Words {
  /** Its end is printed as on the front page. */
  heading: readonly [string, string];
  happened: string;
  advice: string;
}

const WHOLE_LINK = "Open the whole link, from its first character to its last, or have it sent to you again.";

/** Where the detail of a problem speaks to programs, or to those who have paid. */
const WORDS: Partial<Record<ProblemCode, Words>> = {
  not_found: {
    heading: ["Nothing is", "printed here."],
    happened: "No page of this site has this address. It may be mistyped, or cut off.",
    advice: "If it is a link to a file, open the whole of it, as it was given to you.",
  },
  method_not_allowed: {
    heading: ["For programs,", "not browsers."],
    happened: "Programs call this address. Opened in a browser, it has nothing to show.",
    advice: "The API reference says how it is called.",
  },
  file_not_found: {
    heading: ["No file is", "kept here."],
    happened: "The link names no file. It may be mistyped, or cut off.",
    advice: WHOLE_LINK,
  },
  invalid_token: {
    heading: ["This link", "is not whole."],
    happened:
      "Its token is missing or wrong. Links lose their end when they are copied in part, or broken over two lines.",
    advice: WHOLE_LINK,
  },
  link_expired: {
    heading: ["This link", "has ended."],
    happened: "Links to marked files work for a limited time, and their holders can end them sooner. The file is gone.",
    advice: "Ask whoever gave you the link for a new one. If the document is yours, have it marked again.",
  },
};

interface ProblemFacts {
  problem: Problem;
  requestId: string;
  /** Whether the rest of the site is on the same host. */
  links: boolean;
}

/** The page for a browser whose request failed. It says nothing of the address that was asked for. */
export function ProblemPage({ problem: { code, detail, status }, requestId, links }: ProblemFacts) {
  const { title } = PROBLEMS[code];
  const { heading, happened, advice } = WORDS[code] ?? { heading: [title, ""], happened: detail, advice: "" };
  const [plain, printed] = heading;
  return (
    <Document title={`${title} (${status}): Overprint`} description={happened} styles="reading" unlisted>
      <Masthead links={links} />
      <main class="problem">
        <div>
          <h1>
            {plain} {printed && <em data-text={printed}>{printed}</em>}
          </h1>
          <p class="lead">
            <Prose text={happened} />
          </p>
          {advice && <p class="advice">{advice}</p>}
          {links && (
            <p class="actions">
              <a class="button" href="/">
                Go to the front page
              </a>
              <a href="/docs">API reference</a>
            </p>
          )}
          <dl class="facts">
            <dt>Status</dt>
            <dd>
              <code>
                {status} {code}
              </code>
            </dd>
            <dt>Request</dt>
            <dd>
              <code>{requestId}</code>
            </dd>
          </dl>
        </div>
        <p class="spoilt" aria-hidden="true">
          <span data-text={status}>{status}</span>
        </p>
      </main>
    </Document>
  );
}
