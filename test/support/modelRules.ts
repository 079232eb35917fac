/**
 * Model APIs' rules for the parameters of a function. The rules come from the APIs' documentation and from their
 * answers with status 400. One violation fails the whole request with all its tools.
 */

/** A JSON Schema of a function's parameters, as a host sends it to a model API. */
export type Parameters = Record<string, unknown>;

/**
 * The fields of Gemini's `Schema` message. Gemini rejects a request that has any other field ("Unknown name … Cannot
 * find field").
 */
const GEMINI_KEYWORDS = new Set(
  "type format title description nullable enum maxItems minItems properties required minProperties maxProperties minLength maxLength pattern example anyOf propertyOrdering default items minimum maximum".split(
    " ",
  ),
);

/** The keywords that the strict modes of OpenAI, Azure and Anthropic all accept. */
const STRICT_KEYWORDS = new Set(
  "type description enum const anyOf items properties required additionalProperties".split(" "),
);

/** Returns the violations of Gemini's rules in the `parameters` of a function declaration. */
export function geminiFaults(parameters: Parameters): string[] {
  return schemasIn(parameters).flatMap(({ path, schema }) => [
    ...unknownIn(schema, GEMINI_KEYWORDS).map((keyword) => `${path}: Unknown name "${keyword}": Cannot find field.`),
    ...(schema.anyOf !== undefined && Object.keys(schema).length > 1
      ? [`${path}: specified other fields alongside any_of. When using any_of, it must be the only field set.`]
      : []),
    ...(schema.properties !== undefined && !/^object$/i.test(String(schema.type))
      ? [`${path}.properties: only allowed for OBJECT type`]
      : []),
  ]);
}

/**
 * Returns the violations of the strict modes' rules in a schema. Optional properties need not allow `null`, because
 * clients add `null` later.
 */
export function strictFaults(parameters: Parameters): string[] {
  return schemasIn(parameters).flatMap(({ path, schema }) => [
    ...unknownIn(schema, STRICT_KEYWORDS).map((keyword) => `${path}: '${keyword}' is not permitted.`),
    ...(schema.type === "object" && schema.additionalProperties !== false
      ? [`${path}: 'additionalProperties' is required to be supplied and to be false.`]
      : []),
    ...(schema.type === undefined && schema.anyOf === undefined ? [`${path}: schema must have a 'type' key.`] : []),
  ]);
}

function unknownIn(schema: Parameters, known: ReadonlySet<string>): string[] {
  return Object.keys(schema).filter((keyword) => !known.has(keyword));
}

/** Returns a schema and all schemas inside it, with their paths. */
function schemasIn(schema: Parameters, path = "parameters"): { path: string; schema: Parameters }[] {
  const {
    properties = {},
    anyOf = [],
    items,
  } = schema as {
    properties?: Record<string, Parameters>;
    anyOf?: Parameters[];
    items?: Parameters;
  };
  return [
    { path, schema },
    ...Object.entries(properties).flatMap(([name, property]) => schemasIn(property, `${path}.properties[${name}]`)),
    ...anyOf.flatMap((one, index) => schemasIn(one, `${path}.any_of[${index}]`)),
    ...(items ? schemasIn(items, `${path}.items`) : []),
  ];
}
