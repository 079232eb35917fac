/** What `cloudflare:test` is made of, without the Worker under test, which it imports, too. */
declare module "cloudflare:test-internal" {
  export { reset } from "cloudflare:test";
}
