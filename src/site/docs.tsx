import type { FieldValue } from "../service/request/fieldKinds.ts";
import { PRODUCTS, type Product } from "../service/sale/products.ts";
import type { OperatorLinks } from "../settings/config.ts";
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
import { Snippets } from "./snippetPanel.tsx";
import { TryIt } from "./tryIt.tsx";

interface DocsFacts {
  reference: ApiReference;
  links: OperatorLinks;
  /** A private key that pays test payments. Present only in development on loopback. */
  developmentKey?: string | undefined;
}

/**
 * The API reference for people, rendered from the OpenAPI document. The page can be read without scripts. `web/docs.ts`
 * is its client script.
 */
export function Docs({ reference, links, developmentKey }: DocsFacts) {
  const { info, tags, servers } = reference;
  const groups = tags.map((tag) => ({ ...tag, entries: entriesOf(reference, tag.name) }));
  return (
    <Document title="Overprint: API reference" description={info.description} styles="reading" script="/assets/docs.js">
      <a class="skip" href="#operations">
        Skip to the reference
      </a>
      <Masthead />
      <main class="reference" data-development-key={developmentKey}>
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
          <p class="search" hidden>
            <label for="search">Search</label>
            <input id="search" type="search" placeholder="rotation, refund, 409 …" autocomplete="off" />
            <span id="found" role="status" />
          </p>
          <p id="copied" class="unseen" role="status" />
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
          <h2>
            <a href="/docs/limits">Limits</a>
          </h2>
        </nav>
        <div id="operations" class="operations">
          {groups.map(({ name, description, entries }) => (
            <section aria-label={name}>
              <h2>{name}</h2>
              <p>{description}</p>
              {entries.map((entry) => (
                <OperationEntry reference={reference} entry={entry} isTried={developmentKey !== undefined} />
              ))}
            </section>
          ))}
          <Errors />
        </div>
      </main>
      <Footer links={links} />
    </Document>
  );
}

interface EntryFacts {
  reference: ApiReference;
  entry: ApiEntry;
  /** Whether the page offers to call paid operations. */
  isTried: boolean;
}

function OperationEntry({ reference, entry, isTried }: EntryFacts) {
  const { method, path, operation, parameters } = entry;
  const { operationId, summary, description, requestBody, responses } = operation;
  const title = `${operationId}-title`;
  const json = requestBody?.content["application/json"];
  const form = requestBody?.content["multipart/form-data"];
  const schema = json?.schema && schemaAt(reference, json.schema);
  const fields = Object.entries(schema?.properties ?? {});
  // omits the query parameters that repeat fields of the body
  const own = parameters.filter(
    ({ name, in: where }) => where !== "query" || !fields.some(([field]) => field === name),
  );
  const product = PRODUCTS.find((one) => one.path === path);
  return (
    <article id={operationId} aria-labelledby={title} data-entry>
      <h3 id={title}>{summary}</h3>
      <p class="address">
        <span class={`method ${method.toLowerCase()}`}>{method}</span> <code>{path}</code>
      </p>
      <p>
        <Prose text={description} />
      </p>
      {product && json ? (
        <PaidExample reference={reference} product={product} example={json.example as Example} isTried={isTried} />
      ) : (
        <Code
          id={`${operationId}-call`}
          label={`Example call of ${method} ${path}`}
          text={commandFor(reference, entry)}
        />
      )}
      {schema && (
        <>
          <h4>Fields</h4>
          <p>
            As JSON{form && ", or as multipart/form-data with files as uploads"}
            {own.length < parameters.length && ", or in the query if the body is the PDF itself"}.
          </p>
          <Fields reference={reference} of={fields} required={schema.required ?? []} />
        </>
      )}
      {own.length > 0 && (
        <>
          <h4>Parameters</h4>
          <Parameters reference={reference} of={own} />
        </>
      )}
      <h4>Responses</h4>
      <ul class="answers">
        {Object.entries(responses).map(([status, answer]) => (
          <li>
            <AnswerEntry
              {...{ reference, status, answer }}
              id={`${operationId}-${status}`}
              label={`Response ${status} of ${method} ${path}`}
            />
          </li>
        ))}
      </ul>
    </article>
  );
}

/** The example of a request: its fields and its files. */
type Example = Readonly<Record<string, FieldValue>>;

interface PaidFacts extends Omit<EntryFacts, "entry"> {
  product: Product;
  example: Example;
}

/** The paid call as code for each kind of client. */
function PaidExample({ reference, product, example, isTried }: PaidFacts) {
  const { file: _, image, ...fields } = example;
  const { path, tool } = product;
  const id = path.split("/").at(-1)!;
  const call = {
    ...{ origin: reference.servers[0]?.url ?? "", path, tool, fields },
    ...{ file: "contract.pdf", image: image === undefined ? undefined : "logo.png" },
  };
  return (
    <>
      <div class="snippets">
        <Snippets call={call} group={`client-${id}`} prefix={`example-${id}`} />
      </div>
      {isTried && <TryIt path={path} fields={fields} />}
    </>
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

function Parameters({ reference, of }: { reference: ApiReference; of: Parameter[] }) {
  return (
    <dl class="fields">
      {of.map(({ name, in: where, required, description, schema }) => (
        <Field
          name={name}
          type={`${typeIn(reference, schema)}, in the ${where}`}
          required={required}
          description={description}
        />
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
  /** The value that applies if the field is omitted. */
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
  id: string;
  /** Accessible name of the operation's example. */
  label: string;
}

function AnswerEntry({ reference, status, answer, id, label }: AnswerFacts) {
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
      {body?.example !== undefined && <Code id={id} label={label} text={JSON.stringify(body.example, null, 2)} />}
    </details>
  );
}

function Errors() {
  return (
    <section id="errors" aria-label="Errors" data-entry>
      <h2>Errors</h2>
      <p>
        All errors are <code>application/problem+json</code> (RFC 9457), except the 402 of x402. <code>code</code> is
        stable, <code>detail</code> says what to do, and <code>errors</code> lists the invalid fields. Only a 2xx answer
        charges you, unless the detail of an error says otherwise.
      </p>
      <dl class="fields errors">
        {Object.entries(PROBLEMS).map(([code, { status, title }]) => (
          <>
            <dt>
              <span class={`status s${String(status)[0]}`}>{status}</span>{" "}
              <a href={`/docs/errors#${code}`}>
                <code>{code}</code>
              </a>
            </dt>
            <dd>{title}.</dd>
          </>
        ))}
      </dl>
    </section>
  );
}

/** A scrollable code block with a button that copies it. */
function Code({ id, label, text }: { id: string; label: string; text: string }) {
  return (
    <div class="copied-code">
      <section class="code" aria-label={label} tabindex={0}>
        <pre id={id}>
          <code>{text}</code>
        </pre>
      </section>
      <button type="button" class="copy" data-copies={id} aria-label={`Copy: ${label}`}>
        Copy
      </button>
    </div>
  );
}
