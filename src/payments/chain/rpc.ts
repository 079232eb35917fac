import * as z from "zod";

/** Calls a JSON-RPC method of a node, and returns its result. Throws unless the result matches the schema. */
export type Rpc = <S extends z.ZodType>(method: string, params: unknown[], schema: S) => Promise<z.output<S>>;

/** Creates a client of a node (JSON-RPC 2.0 over HTTP). All calls of the client share one deadline. */
export function rpcClient(url: string, timeoutMs: number): Rpc {
  const signal = AbortSignal.timeout(timeoutMs);
  return async (method, params, schema) => {
    const response = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      redirect: "manual",
      signal,
    });
    const { result } = z.object({ result: z.unknown() }).parse(await response.json());
    return schema.parse(result);
  };
}
