import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Abi, Hex } from "viem";
import { inject } from "vitest";
import { madeOnce } from "../../support/builtWorkers.ts";

/** Solidity files of this folder, without extension, and the files that each of them imports. */
const IMPORTS = { Token: [], Channels: ["Token"] };

interface Output {
  errors?: { severity: string; formattedMessage: string }[];
  contracts: Record<string, Record<string, { abi: Abi; evm: { deployedBytecode: { object: string } } }>>;
}

/**
 * Compiles a Solidity file and returns its contracts by name. Compiles each file only once per run, because loading the
 * compiler is slower than starting a chain.
 * @throws Error if the compiler reports an error
 */
export async function compiled(source: keyof typeof IMPORTS): Promise<Record<string, { abi: Abi; bytecode: Hex }>> {
  const folder = await madeOnce(inject("builtWorkers"), source, async (folder) =>
    writeFile(join(folder, "output.json"), await compile(source)),
  );
  const output = JSON.parse(await readFile(join(folder, "output.json"), "utf8")) as Output;
  const errors = output.errors?.filter(({ severity }) => severity === "error") ?? [];
  if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join("\n"));
  return Object.fromEntries(
    Object.entries(output.contracts[`${source}.sol`]!).map(([name, { abi, evm }]) => [
      name,
      { abi, bytecode: `0x${evm.deployedBytecode.object}` as const },
    ]),
  );
}

async function compile(source: keyof typeof IMPORTS): Promise<string> {
  const { default: solc } = await import("solc");
  const names = [source, ...IMPORTS[source]].map((name) => `${name}.sol`);
  const sources = await Promise.all(
    names.map(async (name) => [name, { content: await readFile(join(import.meta.dirname, name), "utf8") }]),
  );
  const input = {
    language: "Solidity",
    sources: Object.fromEntries(sources),
    settings: { outputSelection: { "*": { "*": ["abi", "evm.deployedBytecode.object"] } } },
  };
  return solc.compile(JSON.stringify(input));
}
