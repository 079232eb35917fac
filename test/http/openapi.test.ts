import { describe, expect, test } from "vitest";
import { signPayment } from "../../scripts/lib/pay.ts";
import { IMAGE_POSITIONS, POSITIONS } from "../../src/engine/index.ts";
import { PRODUCTS } from "../../src/service/sale/products.ts";
import { PROBLEMS } from "../../src/shared/problems.ts";
import { callPaid, dataUri, formOf, ORIGIN, offerOf, send, TEXT } from "../support/client.ts";
import { onePage } from "../support/pdf.ts";

// biome-ignore lint/suspicious/noExplicitAny: a document that is walked through
type Json = Record<string, any>;

const document = async () => (await send("/openapi.json")).json<Json>();
const operations = ({ paths }: Json): Json[] =>
  Object.values(paths as Json).flatMap((path: Json) =>
    ["get", "post", "put", "delete"].flatMap((method) => (path[method] ? [path[method]] : [])),
  );
/** Returns a schema, or the schema that a reference points to. */
const at = (root: Json, schema: Json): Json =>
  schema.$ref === undefined
    ? schema
    : (schema.$ref as string)
        .slice(2)
        .split("/")
        .reduce((part, name) => part[name], root);

test("the OpenAPI document gives every operation a unique id, a tag, a summary and a description", async () => {
  const described = await document();
  const all = operations(described);
  expect(new Set(all.map(({ operationId }) => operationId)).size).toBe(all.length);
  const tags = described.tags.map(({ name }: Json) => name);
  for (const { operationId, tags: own, summary, description, responses } of all) {
    expect(operationId).toMatch(/^[a-z][A-Za-z]+$/);
    expect(own.every((tag: string) => tags.includes(tag))).toBe(true);
    expect([summary, description]).toEqual([expect.stringMatching(/.{8}/), expect.stringMatching(/.{20}/)]);
    expect(description.length).toBeLessThan(450);
    for (const { headers } of Object.values(responses) as Json[]) expect(headers).toHaveProperty("X-Request-Id");
  }
});

test("the OpenAPI document requires a sign-in for the purchase list, and no security for other operations", async () => {
  const described = await document();
  const shown = operations(described).map(({ operationId, security }) => [operationId, security]);
  const { watermarkText, watermarkImage, listPurchases, ...free } = Object.fromEntries(shown);
  expect([watermarkText, watermarkImage, listPurchases]).toEqual([undefined, undefined, [{ siwx: [] }]]);
  for (const security of Object.values(free)) expect(security).toEqual([]);
  expect(described.security).toEqual([]);
  expect(Object.keys(described.components.securitySchemes)).toEqual(["siwx"]);
});

test("the OpenAPI document describes request bodies as named components, with default values and allowed positions", async () => {
  const described = await document();
  for (const { path, schemas } of PRODUCTS) {
    const { parameters, requestBody } = described.paths[path].post;
    const { "application/pdf": raw, ...content } = requestBody.content;
    expect(raw.schema).toMatchObject({ type: "string", format: "binary" });
    const inQuery = parameters.filter((parameter: Json) => parameter.in === "query");
    expect(["file", ...inQuery.map(({ name }: Json) => name)]).toEqual(Object.keys(schemas.json.shape));
    for (const { schema } of Object.values(content) as Json[]) {
      expect(schema.$ref).toMatch(/^#\/components\/schemas\/\w+(Request|Form)$/);
      const { properties, additionalProperties } = at(described, schema);
      expect(Object.keys(properties)).toEqual(Object.keys(schemas.json.shape));
      expect(additionalProperties).toBe(false);
      expect(at(described, properties.opacity)).toMatchObject({ minimum: 0, maximum: 1, default: 0.3 });
      expect(at(described, properties.margin).default).toBe(24);
      expect(at(described, properties.filename).default).toBe("watermarked.pdf");
      const isText = "text" in properties;
      expect(at(described, properties.position).enum).toEqual(isText ? POSITIONS : IMAGE_POSITIONS);
      if (isText) expect(at(described, properties.template).default).toBe("diagonal");
      else {
        expect(at(described, properties.scale).default).toBe(0.5);
        expect(at(described, properties.rotation).default).toBe(0);
        expect(at(described, properties.position).default).toBe("center");
      }
    }
  }
});

test("the OpenAPI document lists every problem code under its HTTP status", async () => {
  const codes = operations(await document()).flatMap(({ responses }) =>
    Object.entries(responses as Json).flatMap(([status, { content }]: [string, Json]) => {
      const parts: Json[] = content?.["application/problem+json"]?.schema.allOf ?? [];
      return parts.flatMap(({ properties }) => properties?.code.enum ?? []).map((code) => [code, Number(status)]);
    }),
  );
  for (const [code, status] of codes)
    expect([code, PROBLEMS[code as keyof typeof PROBLEMS].status]).toEqual([code, status]);
  expect([...new Set(codes.map(([code]) => code))].sort()).toEqual(Object.keys(PROBLEMS).sort());
});

describe("headers of problem responses", () => {
  const described = async (path: string, method: string, status: number) =>
    Object.keys((await document()).paths[path][method].responses[status].headers);

  test("the OpenAPI document lists the Allow header of a 405, and the service sends this header", async () => {
    expect(await described("/v1/limits", "get", 405)).toContain("Allow");
    expect((await send("/v1/limits", { method: "POST" })).headers.get("Allow")).toBe("GET, HEAD");
  });

  test("the OpenAPI document lists the Accept-Post header of a 415, and the service sends this header", async () => {
    expect(await described(TEXT, "post", 415)).toContain("Accept-Post");
    const headers = { "X-PAYMENT": await signPayment(await offerOf(TEXT)), "Content-Type": "text/plain" };
    const refusal = await send(TEXT, { method: "POST", headers, body: "x" });
    expect([refusal.status, refusal.headers.get("Accept-Post")]).toEqual([
      415,
      "application/json, multipart/form-data, application/x-www-form-urlencoded, application/pdf",
    ]);
  });

  test("the OpenAPI document lists the Content-Range of a 416 and the conditional headers of a download, as the service does", async () => {
    const link = "/v1/files/{id}.pdf";
    expect(await described(link, "get", 416)).toContain("Content-Range");
    const { url, bytes } = (
      await (await callPaid(TEXT, { file: dataUri("application/pdf", onePage), text: "A" })).json<Json>()
    ).output;
    const beyond = await send(url, { headers: { Range: `bytes=${bytes}-` } });
    expect([beyond.status, beyond.headers.get("Content-Range")]).toEqual([416, `bytes */${bytes}`]);
    const made = beyond.headers.get("Last-Modified")!;
    const asked = (await document()).paths[link].get.parameters.map(({ name }: Json) => name);
    for (const [name, value, status] of [
      ["If-Modified-Since", made, 304],
      ["If-Unmodified-Since", new Date(0).toUTCString(), 412],
    ] as const) {
      expect(asked).toContain(name);
      expect((await send(url, { headers: { [name]: value } })).status).toBe(status);
    }
  });
});

describe.each(PRODUCTS)("the examples of $operation", ({ path }) => {
  const post = async () => (await document()).paths[path].post as Json;

  test("the documented example requests succeed, and their results have the documented fields", async () => {
    const { requestBody, responses } = await post();
    const { "application/json": json, "multipart/form-data": form } = requestBody.content;
    const texts = Object.fromEntries(Object.entries(form.example).map(([name, value]) => [name, String(value)]));
    const expected = responses[200].content["application/json"].example;
    for (const body of [json.example, formOf(texts)]) {
      const response = await callPaid(path, body);
      expect(response.status).toBe(200);
      const answer = await response.json<Json>();
      expect(answer).toMatchObject({ operation: expected.operation, cost: expected.cost });
      expect(Object.keys(answer)).toEqual(Object.keys(expected));
      expect(Object.keys(answer.output)).toEqual(Object.keys(expected.output));
    }
  });

  test("the 402 of an unpaid call equals the example in the OpenAPI document", async () => {
    const { requestBody, responses } = await post();
    const body = JSON.stringify(requestBody.content["application/json"].example);
    const headers = { "Content-Type": "application/json", "Content-Length": String(body.length) };
    const response = await send(path, { method: "POST", headers, body });
    const { example } = responses[402].content["application/json"];
    const { accepts, ...answer } = await response.json<Json>();
    const shortened = accepts.map((offer: Json) => ({ ...offer, outputSchema: {} }));
    expect({ ...answer, accepts: shortened }).toEqual(example);
  });

  test("the problem for a request without fields equals the example in the OpenAPI document", async () => {
    const { example } = (await post()).responses[400].content["application/problem+json"];
    const answer = await (await callPaid(path, {})).json<Json>();
    expect({ ...answer, request_id: example.request_id }).toEqual(example);
  });

  test("the OpenAPI document contains the price for discovery indexes", async () => {
    expect((await post())["x-payment-info"]).toEqual({
      price: { mode: "fixed", currency: "USD", amount: "0.05" },
      protocols: [{ x402: {} }, { mpp: { method: "evm", intent: "charge", currency: "USD" } }],
      offers: [
        { intent: "charge", method: "evm", amount: "50000", currency: "0x036CbD53842c5426634e7929541eC2318f3dCF7e" },
      ],
    });
  });
});

test("the OpenAPI document includes the operator's contact and a short payment guide", async () => {
  const { info, servers } = await document();
  expect(info.contact.url).toBe(ORIGIN);
  expect(info["x-guidance"]).toContain("PAYMENT-SIGNATURE");
  expect(info["x-guidance"].length).toBeLessThan(4000);
  expect(servers).toEqual([{ url: ORIGIN }]);
});
