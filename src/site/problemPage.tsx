import { PROBLEMS, type Problem, type ProblemCode } from "../shared/problems.ts";
import { Document } from "./document.tsx";
import { Masthead } from "./frame.tsx";
import { Prose } from "./prose.tsx";

/** The texts of the page: the cause of the error, and the next step. */
interface Words {
  /** The heading in two parts. The second part is printed in overlapping colors, as on the home page. */
  heading: readonly [string, string];
  happened: string;
  advice: string;
}

const COMPLETE_LINK = "Open the complete link, or ask the sender for it again.";

/** Texts that replace a problem's detail if the detail addresses programs or paying callers. */
const WORDS: Partial<Record<ProblemCode, Words>> = {
  not_found: {
    heading: ["This page", "does not exist."],
    happened: "No page of this site has this address. It may be mistyped or incomplete.",
    advice: "If it is a link to a file, copy the complete link as you received it.",
  },
  method_not_allowed: {
    heading: ["For programs,", "not browsers."],
    happened: "Only programs use this address. It has nothing to show in a browser.",
    advice: "The API reference explains how to call it.",
  },
  file_not_found: {
    heading: ["File", "not found."],
    happened: "No file belongs to this link. It may be mistyped or incomplete.",
    advice: COMPLETE_LINK,
  },
  invalid_token: {
    heading: ["This link", "is incomplete."],
    happened:
      "Its token is missing or wrong. This happens when a link is copied only in part or broken over two lines.",
    advice: COMPLETE_LINK,
  },
  link_expired: {
    heading: ["This link", "has expired."],
    happened:
      "Links to marked files work for a limited time, and their owners can revoke them earlier. The file has been deleted.",
    advice: "Ask the sender for a new link. If the document is yours, watermark it again.",
  },
};

interface ProblemFacts {
  problem: Problem;
  requestId: string;
  /** Whether this host also serves the rest of the site. */
  links: boolean;
}

/** The page that a browser shows for a failed request. The page never repeats the requested address. */
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
                Go to the home page
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
            <dt>Request ID</dt>
            <dd>
              <code>{requestId}</code>
            </dd>
          </dl>
        </div>
        <p class="spoiled" aria-hidden="true">
          <span data-text={status}>{status}</span>
        </p>
      </main>
    </Document>
  );
}
