import { PROBLEMS } from "../shared/problems.ts";
import { Document } from "./document.tsx";
import { Footer, Masthead } from "./frame.tsx";
import { Prose } from "./prose.tsx";
import {
  type Answer,
  type ApiEntry,
  type ApiReference,
  commandFor,
  entriesOf,
  type Parameter,
  type Schema,
  schemaAt,
  typeIn,
} from "./reference.ts";

/** The API reference for people, rendered from the OpenAPI document. The page works without scripts. */
export function Docs({ reference, repository }: { reference: ApiReference; repository: string | undefined }) {
  const { info, tags, servers } = reference;
  const groups = tags.map((tag) => ({ ...tag, entries: entriesOf(reference, tag.name) }));
  return (
    <Document title="Overprint: API reference" description={info.description} styles="reading">
      <a class="skip" href="#operations">
        Skip to the reference
      </a>
      <Masthead />
      <main class="reference">
        <header>
          <h1>API reference</h1>
          <p class="lead">{info.description}</p>
          <dl class="facts">
            <dt>HTTP</dt>
            <dd>
              <code>{servers[0]?.url}</code>
            </dd>
            <dt>MCP, streamable HTTP</dt>
            <dd>
              <code>{servers[0]?.url}/mcp</code>
            </dd>
          </dl>
        </header>
        <nav class="contents" aria-label="Contents">
          {groups.map(({ name, entries }) => (
            <>
              <h2>{name}</h2>
              <ul>
                {entries.map(({ operation }) => (
                  <li>
                    <a href={`#${operation.operationId}`}>{operation.summary}</a>
                  </li>
                ))}
              </ul>
            </>
          ))}
          <h2>
            <a href="#errors">Errors</a>
          </h2>
        </nav>
        <div id="operations" class="operations">
          {groups.map(({ name, description, entries }) => (
            <section aria-label={name}>
              <h2>{name}</h2>
              <p>{description}</p>
              {entries.map((entry) => (
                <OperationEntry reference={reference} entry={entry} />
              ))}
            </section>
          ))}
          <Errors />
        </div>
      </main>
      <Footer repository={repository} />
    </Document>
  );
}

function OperationEntry({ reference, entry }: { reference: ApiReference; entry: ApiEntry }) {
  const { method, path, operation, parameters } = entry;
  const { operationId, summary, description, requestBody, responses } = operation;
  const title = `${operationId}-title`;
  const json = requestBody?.content["application/json"];
  const form = requestBody?.content["multipart/form-data"];
  return (
    <article id={operationId} aria-labelledby={title}>
      <h3 id={title}>{summary}</h3>
      <p class="address">
        <span class={`method ${method.toLowerCase()}`}>{method}</span> <code>{path}</code>
      </p>
      <p>
        <Prose text={description} />
      </p>
      <Code label={`Example call of ${method} ${path}`} text={commandFor(reference, entry)} />
      {json?.schema && (
        <>
          <h4>Fields</h4>
          <p>As JSON{form ? ", or as multipart/form-data with files as uploads" : ""}.</p>
          <Fields
            reference={reference}
            of={Object.entries(schemaAt(reference, json.schema).properties ?? {})}
            required={schemaAt(reference, json.schema).required ?? []}
          />
        </>
      )}
      {parameters.length > 0 && (
        <>
          <h4>Parameters</h4>
          <Parameters of={parameters} />
        </>
      )}
      <h4>Responses</h4>
      <ul class="answers">
        {Object.entries(responses).map(([status, answer]) => (
          <li>
            <AnswerEntry {...{ reference, status, answer }} label={`Response ${status} of ${method} ${path}`} />
          </li>
        ))}
      </ul>
    </article>
  );
}

function Fields({ reference, of, required }: { reference: ApiReference; of: [string, Schema][]; required: string[] }) {
  return (
    <dl class="fields">
      {of.map(([name, schema]) => {
        const { description, enum: names, default: fallback } = schemaAt(reference, schema);
        const facts = { description, names, fallback, type: typeIn(reference, schema) };
        return <Field name={name} required={required.includes(name)} {...facts} />;
      })}
    </dl>
  );
}

function Parameters({ of }: { of: Parameter[] }) {
  return (
    <dl class="fields">
      {of.map(({ name, in: where, required, description }) => (
        <Field name={name} type={`in the ${where}`} required={required} description={description} />
      ))}
    </dl>
  );
}

interface FieldFacts {
  name: string;
  type: string;
  required: boolean;
  description: string | undefined;
  /** The allowed values, if the schema lists them. */
  names?: unknown[] | undefined;
  /** The value used if the field is omitted. */
  fallback?: unknown;
}

function Field({ name, type, required, description = "", names, fallback }: FieldFacts) {
  return (
    <>
      <dt>
        <code>{name}</code>
        <span>{type}</span>
        {required && <strong>required</strong>}
        {fallback !== undefined && (
          <span>
            default <code>{String(fallback)}</code>
          </span>
        )}
      </dt>
      <dd>
        {names && <p class="names">{names.map((one) => [<code>{String(one)}</code>, " "])}</p>}
        <Prose text={description} />
      </dd>
    </>
  );
}

interface AnswerFacts {
  reference: ApiReference;
  status: string;
  answer: Answer;
  /** Accessible name of the operation's example. */
  label: string;
}

function AnswerEntry({ reference, status, answer, label }: AnswerFacts) {
  const headers = Object.entries(answer.headers).map(([name, { $ref, description }]) => {
    const shared = $ref === undefined ? undefined : reference.components.headers[$ref.split("/").at(-1)!];
    return [name, description ?? shared?.description ?? ""] as const;
  });
  const [type, body] = Object.entries(answer.content ?? {})[0] ?? [];
  return (
    <details>
      <summary>
        <span class={`status s${status[0]}`}>{status}</span> <Prose text={answer.description.split("\n")[0]!} />
      </summary>
      {answer.description
        .split("\n\n")
        .slice(1)
        .map((paragraph) => (
          <p>
            <Prose text={paragraph} />
          </p>
        ))}
      <dl class="fields">
        {headers.map(([name, description]) => (
          <>
            <dt>
              <code>{name}</code>
              <span>header</span>
            </dt>
            <dd>
              <Prose text={description} />
            </dd>
          </>
        ))}
      </dl>
      {type && <p class="type">{type}</p>}
      {body?.example !== undefined && <Code label={label} text={JSON.stringify(body.example, null, 2)} />}
    </details>
  );
}

function Errors() {
  return (
    <section id="errors" aria-label="Errors">
      <h2>Errors</h2>
      <p>
        All errors except 402 are <code>application/problem+json</code> (RFC 9457). <code>code</code> is stable,{" "}
        <code>detail</code> says what to do, and <code>errors</code> lists the invalid fields. Only a 2xx answer charges
        you, unless the detail of an error says otherwise.
      </p>
      <dl class="fields errors">
        {Object.entries(PROBLEMS).map(([code, { status, title }]) => (
          <>
            <dt>
              <span class={`status s${String(status)[0]}`}>{status}</span> <code>{code}</code>
            </dt>
            <dd>{title}.</dd>
          </>
        ))}
      </dl>
    </section>
  );
}

/** A scrollable code block. */
function Code({ label, text }: { label: string; text: string }) {
  return (
    // a scrollable block must be focusable, so that the keyboard can scroll it
    <section class="code" aria-label={label} tabindex={0}>
      <pre>
        <code>{text}</code>
      </pre>
    </section>
  );
}
