import { runCommandLine } from "../command-line.ts";
import { hashCheaply } from "./cheap-hashes.ts";

// A process that runs commands of `lodged` one after another for `runCommand`, so that modules are loaded only once.
type Asked = { args: string[]; env: Record<string, string | undefined> };

hashCheaply();
const exit = process.exit;
process.on("disconnect", () => exit());
process.on("message", ({ args, env }: Asked) => void run(args, env).then((end) => process.send?.(end)));

async function run(args: string[], env: Asked["env"]) {
  const said = { stdout: "", stderr: "" };
  let code: number | string | undefined;
  let isOver = false;
  for (const name of ["stdout", "stderr"] as const) {
    process[name].write = (text: string | Uint8Array, ...more: unknown[]) => {
      if (!isOver) said[name] += text;
      const written = more.at(-1);
      if (typeof written === "function") written();
      return true;
    };
  }
  process.exit = (exitCode) => {
    code ??= exitCode ?? 0;
    isOver = true;
    throw new Error("The command has ended."); // nobody listens to it
  };
  await runCommandLine([process.execPath, "lodged", ...args], env);
  code ??= process.exitCode ?? 0;
  process.exitCode = undefined;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.removeAllListeners(signal);
  return { code: Number(code), ...said };
}
