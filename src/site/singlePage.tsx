import type { Child } from "hono/jsx";
import type { OperatorLinks } from "../settings/config.ts";
import { Document } from "./document.tsx";
import { Footer, Masthead } from "./frame.tsx";

interface SinglePageFacts {
  title: string;
  /** Description for search engines. */
  description: string;
  /** The paragraph below the title. */
  lead: Child;
  links: OperatorLinks;
  children: Child;
}

/** A reference page in one column. */
export function SinglePage({ title, description, lead, links, children }: SinglePageFacts) {
  return (
    <Document title={`Overprint: ${title.toLowerCase()}`} description={description} styles="reading">
      <Masthead />
      <main class="reference single">
        <header>
          <h1>{title}</h1>
          <p class="lead">{lead}</p>
        </header>
        {children}
      </main>
      <Footer links={links} />
    </Document>
  );
}
