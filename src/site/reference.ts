/** Types for the parts of an OpenAPI 3.1 document that the API reference shows, and functions that read them. */

export interface Schema {
  $ref?: string;
  type?: string;
  format?: string;
  description?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  anyOf?: Schema[];
  allOf?: Schema[];
  items?: Schema;
  required?: string[];
  properties?: Record<string, Schema>;
}

export interface Parameter {
  name: string;
  in: string;
  required: boolean;
  description: string;
  schema: Schema;
}

type Content = Record<string, { schema?: Schema; example?: unknown }>;

export interface Answer {
  description: string;
  headers: Record<string, { $ref?: string; description?: string }>;
  content?: Content;
}

interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, Answer>;
}

type Methods = Partial<Record<"get" | "post" | "put" | "delete", Operation>>;

export interface ApiReference {
  info: { title: string; description: string };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Methods & { parameters?: Parameter[] }>;
  components: { schemas: Record<string, Schema>; headers: Record<string, { description: string }> };
}

/** An operation with its method, its path and all its parameters. */
export interface ApiEntry {
  method: string;
  path: string;
  operation: Operation;
  parameters: Parameter[];
}

/** Lists the operations of a tag, in the order of the document. */
export function entriesOf({ paths }: ApiReference, tag: string): ApiEntry[] {
  return Object.entries(paths).flatMap(([path, { parameters: shared = [], ...methods }]) =>
    Object.entries(methods as Methods)
      .filter(([, operation]) => operation.tags.includes(tag))
      .map(([method, operation]) => ({
        method: method.toUpperCase(),
        path,
        operation,
        parameters: [...shared, ...(operation.parameters ?? [])],
      })),
  );
}

/** Returns the schema that a `$ref` points to. Returns a schema without `$ref` unchanged. */
export function schemaAt({ components }: ApiReference, schema: Schema): Schema {
  const name = schema.$ref?.split("/").at(-1);
  return name === undefined ? schema : (components.schemas[name] ?? {});
}

/** Describes the type of a value briefly, for example `number, 0 to 1`. */
export function typeIn(reference: ApiReference, schema: Schema): string {
  const { type, format, enum: names, const: only, anyOf, items, ...bounds } = schemaAt(reference, schema);
  if (anyOf) return [...new Set(anyOf.map((one) => typeIn(reference, one)))].join(", or ");
  if (only !== undefined) return String(only);
  if (names) return "string, one of";
  if (format === "binary") return "file";
  if (type === "array") return `array of ${items ? typeIn(reference, items) : "any"}`;
  return [type ?? "any", ...boundsOf(bounds)].join(", ");
}

function boundsOf({ minimum, exclusiveMinimum, maximum, minLength, maxLength }: Schema): string[] {
  if (maxLength !== undefined) return [`${minLength ?? 0} to ${maxLength} characters`];
  if (maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER) return [];
  if (exclusiveMinimum !== undefined) return [`more than ${exclusiveMinimum}, up to ${maximum}`];
  return [`${minimum ?? 0} to ${maximum}`];
}

/**
 * Returns a shell command that sends an operation's example without a payment. The answer to the command contains the
 * payment terms.
 */
export function commandFor({ servers }: ApiReference, { method, path, operation, parameters }: ApiEntry): string {
  const url = `${servers[0]?.url ?? ""}${path}`;
  const body = operation.requestBody?.content["application/json"]?.example;
  const hasToken = parameters.some(({ name }) => name === "token");
  const address = path.includes("{") ? `'${url}${hasToken ? "?token=…" : ""}'` : url;
  if (method === "PUT") return `curl -T contract.pdf ${address}`;
  if (body === undefined) return method === "GET" ? `curl ${address}` : `curl -X ${method} ${address}`;
  return `curl ${address} \\\n  -H 'Content-Type: application/json' \\\n  -d '${JSON.stringify(body)}'`;
}
