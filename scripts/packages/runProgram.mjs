import { spawn } from "node:child_process";

/**
 * Runs a program and returns its output. @param {string} program @param {string[]} args @param {string} cwd
 * @returns {Promise<string>}
 */
export function runProgram(program, args, cwd) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    let errors = "";
    child.stdout.on("data", (text) => (output += text));
    child.stderr.on("data", (text) => (errors += text));
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) resolve(output);
      else
        reject(
          new Error(`${program.split("/").at(-1)} ended with ${code}: ${`${output}\n${errors}`.trim().slice(-1500)}`),
        );
    });
  });
}
