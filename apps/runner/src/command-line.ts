import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { Asked } from "./asked.ts";

const whole = (from: number, to: number) => (value: string) => {
  const number = Number(value);
  if (!Number.isInteger(number) || number < from || number > to) {
    throw new InvalidArgumentError(`It must be a whole number from ${from} to ${to}.`);
  }
  return number;
};
const each = (value: string, values: string[]) => [...values, value];
const agentNames = ["claude", "codex", "gemini", "opencode", "acp"];
const which = "the agent to run; acp if --command speaks the Agent Client Protocol";
const times: [flags: string, description: string][] = [
  ["--allow-host <host>", "a host that the command may connect to, such as api.example.com or *.example.com:8443"],
  ["--allow-network <network>", "a private network to which allowed hosts may resolve, such as 10.1.0.0/16"],
  ["--git-token <variable=host>", "a variable with a token, and the only host to send it to, such as TOKEN=github.com"],
  ["--forge <host=kind=api>", "a forge and its API, such as git.example.com=gitlab=https://git.example.com/api/v4"],
  ["--readable <directory>", "a directory that the command may read and run programs from"],
  ["--pass-env <name>", "a variable of the runner's environment to pass to the command"],
];

/** Sets up `lodge-runner` or `lodged agent-runner` (contract section 11). */
export function setUpRunner(command: Command, env: Readonly<Record<string, string | undefined>>): Command {
  command
    .description("work on an organisation's runs, with the agent in a sandbox")
    .requiredOption("--url <url>", "the server's address")
    .requiredOption("--token-file <file>", "a file with the runner's token (ldgrun_…) from lodged apply")
    .option("--command <command>", "the command to run in the clone; LODGE_TICKET_FILE is the path of the ticket")
    .addOption(new Option("--agent <name>", which).choices(agentNames))
    .option("--concurrency <runs>", "number of simultaneous runs", whole(1, 64), 1)
    .option(
      "--no-sandbox",
      "run the command without a sandbox, with access to everything that this user can read or connect to",
    )
    .option("--allow-file-repositories", "allow local repositories (file:///…)", false);
  command.option("--draft", "open pull requests as drafts", false);
  for (const [flags, description] of times) command.option(flags, description, each, []);
  return command
    .option("--timeout <minutes>", "time limit of the command, in minutes", whole(1, 1440), 60)
    .option("--memory <mebibytes>", "memory limit of the command's processes, in MiB", whole(64, 1_048_576), 4096)
    .option("--processes <number>", "maximum number of the command's processes", whole(8, 100_000), 512)
    .option("--work-dir <directory>", "the folder for clones", join(tmpdir(), "lodge-runner"))
    .option("--check", "check all settings and exit; prints each problem and exits with 2 if there is one", false)
    .option("--once", "work on one run, then exit; exit immediately if no run is waiting", false)
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
    .action(async (asked: Asked) => {
      const { startRunner } = await import("./start-runner.ts");
      await startRunner(asked, env);
    });
}
