/** Declares the parts of `cloudflare:test` that do not import the Worker under test. */
declare module "cloudflare:test-internal" {
  export { reset } from "cloudflare:test";
}
