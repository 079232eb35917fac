/**
 * Writes calls as code. The server runs this file for the first display, and the browser runs it again whenever
 * settings change.
 */
import type { FieldValue } from "../service/request/fieldKinds.ts";

/** The call to show as code. */
export interface ShownCall {
  origin: string;
  /** The operation's HTTP path. `tool` is its MCP tool. */
  path: string;
  tool: string;
  /** File names of the caller's PDF and of the image, if there is one. */
  file: string;
  image?: string | undefined;
  /** Values of all other fields that differ from the default. */
  fields: Readonly<Record<string, FieldValue>>;
}

/** A kind of client, and the function that writes a call for this client. */
interface Client {
  id: string;
  label: string;
  write(call: ShownCall): string;
}

/** The clients in display order. */
export const CLIENTS: readonly Client[] = [
  { id: "curl", label: "curl", write: curl },
  { id: "typescript", label: "TypeScript", write: typescript },
  { id: "python", label: "Python", write: python },
  { id: "mcp", label: "MCP", write: mcp },
];

function curl({ origin, path, file, image, fields }: ShownCall): string {
  const parts = [
    `curl ${origin}${path}`,
    `-H "Idempotency-Key: $(uuidgen)"`,
    `-H "PAYMENT-SIGNATURE: $PAYMENT"`,
    `-F ${shell(`file=@${curlPath(file)}`)}`,
    ...(image === undefined ? [] : [`-F ${shell(`image=@${curlPath(image)}`)}`]),
    ...Object.entries(fields).map(([name, value]) => `--form-string ${shell(`${name}=${value}`)}`),
  ];
  return `# An unpaid call returns the terms (402).
# Sign them as $PAYMENT and call again.
${parts.join(" \\\n  ")}`;
}

function typescript({ origin, path, file, image, fields }: ShownCall): string {
  const upload = (field: string, name: string) =>
    `form.set("${field}", new File([await readFile(${js(name)})], ${js(name)}));`;
  return `import { readFile } from "node:fs/promises";
import { ExactEvmScheme } from "@x402/evm";
import { wrapFetchWithPaymentFromConfig } from "@x402/fetch";
import { privateKeyToAccount } from "viem/accounts";

const account = privateKeyToAccount(process.env.PRIVATE_KEY as \`0x\${string}\`);
const payingFetch = wrapFetchWithPaymentFromConfig(fetch, {
  schemes: [{ network: "eip155:*", client: new ExactEvmScheme(account) }],
});

const form = new FormData();
${lines([
  upload("file", file),
  image !== undefined && upload("image", image),
  ...Object.entries(fields).map(([name, value]) => `form.set("${name}", ${js(String(value))});`),
])}

const response = await payingFetch("${origin}${path}", {
  method: "POST",
  headers: { "Idempotency-Key": crypto.randomUUID() },
  body: form,
});
if (!response.ok) throw new Error(await response.text());
const { output } = (await response.json()) as { output: { url: string } };
console.log(output.url);`;
}

function python({ origin, path, file, image, fields }: ShownCall): string {
  const upload = (field: string, name: string) => `        "${field}": open(${py(name)}, "rb"),`;
  return `import os
import uuid

from eth_account import Account
from x402 import x402ClientSync
from x402.http.clients import x402_requests
from x402.mechanisms.evm import EthAccountSigner
from x402.mechanisms.evm.exact import ExactEvmScheme

account = Account.from_key(os.environ["PRIVATE_KEY"])
client = x402ClientSync()
client.register("eip155:*", ExactEvmScheme(signer=EthAccountSigner(account)))

response = x402_requests(client).post(
    "${origin}${path}",
    headers={"Idempotency-Key": str(uuid.uuid4())},
    files={
${lines([upload("file", file), image !== undefined && upload("image", image)])}
    },
    data={
${lines(Object.entries(fields).map(([name, value]) => `        "${name}": ${py(String(value))},`))}
    },
)
response.raise_for_status()
print(response.json()["output"]["url"])`;
}

function mcp({ origin, tool, file, image, fields }: ShownCall): string {
  const reachable = (name: string) => `https://example.com/${encodeURIComponent(name)}`;
  const server = { mcpServers: { overprint: { type: "http", url: `${origin}/mcp` } } };
  const call = {
    name: tool,
    arguments: {
      file: reachable(file),
      ...(image !== undefined && { image: reachable(image) }),
      ...fields,
    },
  };
  return `// The server, in your client's settings
${JSON.stringify(server, undefined, 2)}

// The call: the params of tools/call
${JSON.stringify(call, undefined, 2)}`;
}

/** A part of a snippet that has one color. */
export interface Token {
  kind: "comment" | "string" | "number" | "keyword" | "plain";
  text: string;
}

const TOKENS =
  /(?<comment>^(?:#|\/\/).*$)|(?<string>"(?:\\.|[^"\\\n])*"|'[^']*'|`[^`]*`)|(?<keyword>\b(?:import|from|const|await|new|if|throw|as)\b)|(?<number>(?<![\w.:/-])-?\d+(?:\.\d+)?\b)/gm;

/** Splits a snippet into parts for syntax coloring. Joined, the parts equal the snippet. */
export function tokensOf(code: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  for (const { index, 0: text, groups = {} } of code.matchAll(TOKENS)) {
    if (index > at) tokens.push({ kind: "plain", text: code.slice(at, index) });
    const [kind] = Object.entries(groups).find(([, group]) => group !== undefined) as [Token["kind"], string];
    tokens.push({ kind, text });
    at = index + text.length;
  }
  if (at < code.length) tokens.push({ kind: "plain", text: code.slice(at) });
  return tokens;
}

function lines(parts: readonly (string | false)[]): string {
  return parts.filter((part) => part !== false).join("\n");
}

/** Quotes a text for a POSIX shell if necessary. */
function shell(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Quotes a file name if it contains characters that would end it in curl's `--form` (`man curl`). */
function curlPath(name: string): string {
  return /[;,"\\]/.test(name) ? `"${name.replaceAll(/["\\]/g, "\\$&")}"` : name;
}

function js(text: string): string {
  return JSON.stringify(text);
}

/**
 * Returns a text as a Python literal. A JSON string is also valid Python, because JSON.stringify does not escape
 * characters above U+FFFF.
 */
function py(text: string): string {
  return JSON.stringify(text);
}
