/**
 * Replaces the JSON Schema validator of the MCP package, which would add 22 KB to the script (`alias` in
 * wrangler.toml). The package uses the validator only for answers to elicitation requests. This server sends no such
 * requests.
 */
export class DefaultJsonSchemaValidator {
  /** Rejects every schema. */
  getValidator(): never {
    throw new Error("this server validates no JSON Schema");
  }
}
