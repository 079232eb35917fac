/**
 * Replaces the JSON Schema validator of the MCP package, which would add 22 KB to the script (`alias` in
 * wrangler.toml). The package uses the validator only for forms that a server asks the user to fill in (MCP,
 * elicitation in form mode). This server sends no forms.
 */
export class DefaultJsonSchemaValidator {
  /** Rejects every schema. */
  getValidator(): never {
    throw new Error("this server validates no JSON Schema");
  }
}
