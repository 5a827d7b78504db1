import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import { OperatorError } from "../platform/errors.ts";
import { listenForStop } from "../platform/stop-signal.ts";
import { isTokenSecret } from "../tokens/token-secret.ts";

type Asked = {
  url: string;
  tokenFile: string;
  command?: string;
  agent?: "claude" | "codex" | "gemini" | "opencode" | "acp";
  concurrency: number;
  sandbox: boolean;
  allowHost: string[];
  forge: [string, { kind: "github" | "gitlab"; api: string }][];
  readable: string[];
  passEnv: string[];
  timeout: number;
  memory: number;
  processes: number;
  workDir: string;
  once: boolean;
};

const mebibyte = 1_048_576;
const minuteMs = 60_000;

const whole = (from: number, to: number) => (value: string) => {
  const number = Number(value);
  if (!Number.isInteger(number) || number < from || number > to) {
    throw new InvalidArgumentError(`It must be a whole number from ${from} to ${to}.`);
  }
  return number;
};
const each = (value: string, values: string[]) => [...values, value];

const forge = (value: string, named: Asked["forge"]): Asked["forge"] => {
  const [, host = "", kind, api = ""] = /^([^=]+)=(github|gitlab)=(https?:\/\/.+?)\/*$/.exec(value) ?? [];
  if (kind !== "github" && kind !== "gitlab") throw new InvalidArgumentError("It must be as host=github=https://…");
  return [...named, [host, { kind, api }]];
};

/** `lodged agent-runner` (contract section 11) */
export function addAgentRunnerCommand(program: Command, env: Readonly<Record<string, string | undefined>>): void {
  program
    .command("agent-runner")
    .description("take the agent's runs of an organisation, and work on them in a sandbox")
    .requiredOption("--url <url>", "the server's address")
    .requiredOption("--token-file <file>", "a file with the runner's token, as lodged apply printed it")
    .option("--command <command>", "what to run in the clone, with LODGE_TICKET_FILE")
    .addOption(
      new Option(
        "--agent <name>",
        "a well-known agent to run; acp: --command speaks the Agent Client Protocol",
      ).choices(["claude", "codex", "gemini", "opencode", "acp"]),
    )
    .option("--concurrency <runs>", "how many runs at a time", whole(1, 64), 1)
    .option("--no-sandbox", "run the command as this user, with all that this user may read and reach")
    .option(
      "--allow-host <host>",
      "a host that the command may reach, as api.example.com or *.example.com:8443",
      each,
      [],
    )
    .option(
      "--forge <host=kind=api>",
      "a host with pull requests, as git.example.com=gitlab=https://git.example.com/api/v4",
      forge,
      [],
    )
    .option("--readable <directory>", "a directory that the command may read, and find programs in", each, [])
    .option("--pass-env <name>", "a variable of the runner's environment that the command gets", each, [])
    .option("--timeout <minutes>", "how long the command may take", whole(1, 1440), 60)
    .option("--memory <mebibytes>", "how much memory its processes may use", whole(64, 1_048_576), 4096)
    .option("--processes <number>", "how many processes it may have", whole(8, 100_000), 512)
    .option("--work-dir <directory>", "where clones lie while they are worked on", join(tmpdir(), "lodge-runner"))
    .option("--once", "work on one run, then end; end at once where none waits", false)
    .action(async (asked: Asked) => {
      const agent = agentOf(asked);
      const token = (
        await readFile(asked.tokenFile, "utf8").catch((error: Error) => {
          throw new OperatorError(`The token cannot be read: ${error.message}`);
        })
      ).trim();
      if (!isTokenSecret(token, "ldgrun_"))
        throw new OperatorError(`${asked.tokenFile} has no token of a runner in it.`);
      const url = URL.parse(asked.url);
      if (!url || !["http:", "https:"].includes(url.protocol))
        throw new OperatorError("--url must be an http(s) address.");
      const { runAgentRunner, RunnerError } = await import("./runner/run-agent-runner.ts");
      const { asked: stop } = listenForStop();
      console.error(`Waiting for runs at ${asked.url}, as the runner whose token is in ${asked.tokenFile}.`);
      await runAgentRunner(
        {
          url: asked.url.replace(/\/+$/, ""),
          token,
          agent,
          concurrency: asked.concurrency,
          isSandboxed: asked.sandbox,
          allowedHosts: asked.allowHost,
          forges: new Map(asked.forge),
          readable: asked.readable,
          passedNames: asked.passEnv,
          limits: {
            timeoutMs: asked.timeout * minuteMs,
            memoryBytesMax: asked.memory * mebibyte,
            processesMax: asked.processes,
          },
          workDir: asked.workDir,
          isOnce: asked.once,
        },
        env,
        (line) => console.error(line),
        stop,
      ).catch((error: unknown) => {
        throw error instanceof RunnerError ? new OperatorError(error.message) : error;
      });
    });
}

function agentOf({ command, agent }: Asked) {
  if (agent === undefined || agent === "acp") {
    if (command === undefined) {
      throw new OperatorError(agent ? "--agent acp needs --command." : "Name what to run, with --command or --agent.");
    }
    return { command, speaksAcp: agent === "acp" };
  }
  if (command !== undefined) throw new OperatorError("--command goes with no other --agent than acp.");
  return { preset: agent };
}
