import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/**
 * Starts a fake Cloudflare API with the calls that wrangler makes to deploy. Initially, its only account has neither a
 * Worker nor a bucket.
 */
export async function startCloudflare() {
  const account = {
    rules: undefined as object[] | undefined,
    hasLocalUploads: false,
    hasWorker: false,
    secrets: [] as { name: string; text: string }[],
    /** Metadata of the uploaded Worker: its variables, bindings and limits. */
    metadata: undefined as { bindings: { type: string; name: string; text?: string }[]; limits?: object } | undefined,
    crons: [] as { cron: string }[],
  };
  const here = { id: "acc1", name: "Halftone" };
  const noWorker = { code: 10007, message: "This Worker does not exist on your account." };
  const noBucket = { code: 10006, message: "The specified bucket does not exist." };
  const script = "/workers/scripts/overprint";
  const bucket = "/r2/buckets/overprint-results";

  /**
   * Returns the result of an API call.
   * @throws an API error with a code
   */
  function answer(call: string, body: string): unknown {
    if (call.includes(bucket) && !account.rules) throw noBucket;
    if (call.includes(`${script}/secrets`) && !account.hasWorker) throw noWorker;
    switch (call) {
      case "GET /user/tokens/verify":
        return { id: "token", status: "active" };
      case "GET /user":
        return { email: "printer@example.com" };
      case "GET /accounts":
        return [here];
      case "GET /memberships":
        return [{ account: here }];
      case "POST /r2/buckets":
        account.rules = [];
        return JSON.parse(body);
      case `GET ${bucket}`:
        return { name: "overprint-results" };
      case `GET ${bucket}/lifecycle`:
        return { rules: account.rules };
      case `PUT ${bucket}/lifecycle`:
        account.rules = (JSON.parse(body) as { rules: object[] }).rules;
        return {};
      case `GET ${bucket}/local-uploads`:
        return { enabled: account.hasLocalUploads };
      case `PUT ${bucket}/local-uploads`:
        account.hasLocalUploads = (JSON.parse(body) as { enabled: boolean }).enabled;
        return {};
      case `GET ${script}/secrets`:
        return account.secrets.map(({ name }) => ({ name, type: "secret_text" }));
      case `PUT ${script}/secrets`:
        account.secrets.push(JSON.parse(body) as { name: string; text: string });
        return {};
      case "GET /workers/services/overprint":
        if (!account.metadata) throw { ...noWorker, code: 10090 };
        return { default_environment: { script: { last_deployed_from: "wrangler" } } };
      case `POST ${script}/assets-upload-session`:
        return { jwt: "all are there", buckets: [] };
      case `PUT ${script}`:
        account.hasWorker = true;
        account.metadata = JSON.parse(/name="metadata"\s+(\{.*\})\r?$/m.exec(body)![1]!) as typeof account.metadata;
        return { id: "overprint", startup_time_ms: 100 };
      case `GET ${script}/settings`:
        return { bindings: [] };
      case `GET ${script}/deployments`:
        return {
          deployments: account.metadata ? [{ id: "d1", versions: [{ version_id: "v1", percentage: 100 }] }] : [],
        };
      case `GET ${script}/versions/v1`:
        return { id: "v1", metadata: {}, resources: { bindings: account.metadata?.bindings } };
      case "GET /workers/workers/overprint":
        return { id: "w", name: "overprint", subdomain: { enabled: false, previews_enabled: false } };
      case "GET /workers/subdomain":
        return { subdomain: "halftone" };
      case `POST ${script}/subdomain`:
        return { enabled: true };
      case `PUT ${script}/schedules`:
        account.crons = JSON.parse(body) as typeof account.crons;
        return {};
      default:
        throw { code: 7003, message: `This API has no ${call}` };
    }
  }

  const server = createServer(async (request, response) => {
    const path = new URL(request.url!, "http://api").pathname.replace("/accounts/acc1", "");
    const page = { result_info: { page: 1, per_page: 50, count: 1, total_count: 1, total_pages: 1 } };
    const body = await text(request);
    response.setHeader("Content-Type", "application/json");
    try {
      const result = answer(`${request.method} ${path}`, body);
      response.end(JSON.stringify({ success: true, errors: [], messages: [], result, ...page }));
    } catch (error) {
      response.statusCode = 404;
      response.end(JSON.stringify({ success: false, errors: [error], messages: [], result: null }));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, account, stop: () => server.close() };
}
