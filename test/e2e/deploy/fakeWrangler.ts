/**
 * Replaces wrangler in this process, because starting a process per command is slow. Two tests use the real wrangler.
 */
import { writeFileSync } from "node:fs";
import type { Wrangler } from "../../../scripts/deploy/wrangler.ts";

/** Part of a Cloudflare account's state that affects a deployment. */
export interface FakeAccount {
  accounts: { id: string; name: string }[];
  isOffline: boolean;
  /** Lifecycle rules of the bucket, in wrangler's output format. Undefined if the bucket does not exist. */
  rules: { name: string; enabled: string; prefix: string; action: string }[] | undefined;
  hasLocalUploads: boolean;
  secrets: Record<string, string>;
  /** Bindings of the deployed Worker. Undefined if no Worker is deployed. */
  bindings: { type: string; name: string }[] | undefined;
  /** Addresses of the Worker after a deployment. */
  targets: string[];
  /** Error messages of commands that Cloudflare refuses, by the beginning of the command. */
  refusals: Record<string, string>;
  calls: { args: string[]; input: string }[];
}

/** Returns a replacement for wrangler 4. It executes commands on `account` and records them there. */
export function fakeWrangler(account: FakeAccount): Wrangler {
  return async (args, { input = "", env = {} } = {}) => {
    account.calls.push({ args: [...args], input });
    try {
      const stdout = answer(account, [...args], env);
      const ok = args[0] !== "whoami" || account.accounts.length > 0;
      return { ok, stdout, reason: ok ? "" : stdout };
    } catch (error) {
      return { ok: false, stdout: "", reason: (error as Error).message.replace(/\s+/g, " ") };
    }
  };
}

/**
 * Executes a command and returns its output.
 * @throws an error with wrangler's message if the command fails
 */
function answer(account: FakeAccount, words: string[], env: NodeJS.ProcessEnv): string {
  const command = words.join(" ");
  const refusal = Object.entries(account.refusals).find(([start]) => command.startsWith(start));
  if (account.isOffline) throw new Error("fetch failed");
  if (refusal) throw new Error(`A request to the Cloudflare API (/accounts/acc1/…) failed.\n\n  ${refusal[1]}`);
  if (words[0] === "whoami") return whoami(account);
  if (account.accounts.length === 0) throw new Error("You must be logged in to use this command");
  if (words[0] === "deploy") return deploy(account, words, env.WRANGLER_OUTPUT_FILE_PATH);
  if (words[0] === "deployments" || words[0] === "versions") return deployed(account, words);
  if (command.startsWith("secret put ")) return putSecret(account, words[2]!);
  if (command.startsWith("r2 bucket ")) return bucket(account, words.slice(2));
  throw new Error(`Unknown command: ${command}`);
}

function whoami({ accounts }: FakeAccount): string {
  return JSON.stringify(accounts.length > 0 ? { loggedIn: true, accounts } : { loggedIn: false }, null, 4);
}

function deploy(account: FakeAccount, words: string[], told: string | undefined): string {
  if (words.includes("--dry-run") || !told) return "--dry-run: exiting now.";
  const lines = [{ type: "wrangler-session" }, { type: "deploy", targets: account.targets }];
  writeFileSync(told, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return "Deployed overprint triggers";
}

function deployed({ bindings }: FakeAccount, [what]: string[]): string {
  if (!bindings) throw new Error("A request failed.\n\n  This Worker does not exist on your account. [code: 10007]");
  const versions = [{ version_id: "v1", percentage: 100 }];
  return JSON.stringify(what === "deployments" ? { id: "d1", versions } : { id: "v1", resources: { bindings } });
}

function putSecret(account: FakeAccount, name: string): string {
  account.secrets[name] = account.calls.at(-1)!.input;
  return `✨ Success! Uploaded secret ${name}`;
}

function bucket(account: FakeAccount, words: string[]): string {
  if (words[0] === "create") account.rules = [];
  const { rules } = account;
  if (!rules) throw new Error("A request failed.\n\n  The specified bucket does not exist. [code: 10006]");
  switch (words.slice(0, 2).join(" ")) {
    case "lifecycle list":
      return `Listing lifecycle rules for bucket '${words[2]}'...\n${rules.map(labeled).join("\n\n")}`;
    case "lifecycle add":
      rules.push(ruleOf(words.slice(3)));
      return "✨ Added lifecycle rule";
    case "local-uploads get":
      return `Local uploads are ${account.hasLocalUploads ? "enabled" : "disabled"} for bucket '${words[2]}'.`;
    case "local-uploads enable":
      account.hasLocalUploads = true;
      return "✨ Local uploads enabled";
    default:
      return "✅ Created bucket";
  }
}

function labeled(rule: object): string {
  return Object.entries(rule)
    .map(([label, value]) => `${label}:`.padEnd(10) + value)
    .join("\n");
}

function ruleOf([name, prefix, _, days, abort, abortDays]: string[]): NonNullable<FakeAccount["rules"]>[number] {
  const aborts = abort === "--abort-multipart-days";
  const more = aborts ? `, Abort incomplete multipart uploads after ${abortDays} days` : "";
  return { name: name!, enabled: "Yes", prefix: prefix!, action: `Expire objects after ${days} days${more}` };
}
