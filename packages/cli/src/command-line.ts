import { hideValues } from "@lodge/contract/hide-values";
import { Argument, Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { checkToken } from "./check-token.ts";
import { userAgent } from "./client.ts";
import { completionOf, shells } from "./completion.ts";
import { createTicket, type TicketOptions } from "./create-ticket.ts";
import type { Environment } from "./credentials.ts";
import { exitCodes, Failure } from "./failure.ts";
import { type ForwardOptions, forwardEvents } from "./forward-events.ts";
import { type InjectOptions, injectDebugIds } from "./inject-debug-ids.ts";
import { addProblemCommands, addTicketCommands } from "./reading-commands.ts";
import { type ReportOptions, sendReport, showConfig } from "./send-report.ts";
import { serveMcp } from "./serve-mcp.ts";
import { openTerminal } from "./terminal.ts";
import { type SourceMapOptions, uploadSourceMaps } from "./upload-source-maps.ts";

const timeoutSeconds = { failNever: 30, otherwise: 120 };
/** The commands that run until they are stopped. */
const endless = ["forward", "mcp"];

const collect = (value: string, list: string[] = []) => [...list, value];
const environmentHelp = `
Environment:
  LODGE_URL         the address of Lodge, like https://lodge.example.com
  LODGE_TOKEN       the API token, for tickets; or
  LODGE_TOKEN_FILE  a file with the API token
  LODGE_KEY         the SDK key of an app, for reports
  LODGE_PROJECT     the project, unless --project is given
  LODGE_BOARD       the board, unless --board or --project is given

Exit codes:
  0  done
  1  the server refused the request; stderr has the error code
  2  wrong usage
  3  Lodge could not be reached in five tries or within the time limit
  4  done, but the idempotency key was already used with different content`;

const isSeconds = (text: string) => Number.isFinite(Number(text)) && Number(text) > 0;

/** The time limit in milliseconds, read before the arguments are parsed, because it counts from the start. */
function readTimeout(args: readonly string[], failNever: boolean): number {
  const index = args.findIndex((arg) => arg === "--timeout" || arg.startsWith("--timeout="));
  const given = args[index]?.split("=")[1] ?? args[index + 1] ?? "";
  const seconds =
    index >= 0 && isSeconds(given) ? Number(given) : timeoutSeconds[failNever ? "failNever" : "otherwise"];
  return seconds * 1_000;
}

/** `lodge help ticket create` is `lodge ticket create --help`. */
function addHelpCommand(program: Command) {
  program.helpCommand(false);
  program
    .command("help")
    .argument("[command...]", "the command, word by word")
    .description("show the help of a command")
    .action(async (path: string[]) => {
      let command = program;
      for (const name of path) {
        const found = command.commands.find((sub) => sub.name() === name);
        // Commander suggests similar names.
        if (!found && command.commands.length > 0) await command.parseAsync([name], { from: "user" });
        if (!found) program.error("error: there is no such command", { exitCode: exitCodes.usage });
        command = found;
      }
      command.outputHelp();
    });
}

/** Runs the command in `args` and returns its exit code (contract section 9). Never throws. */
export async function run(args: readonly string[], env: Environment): Promise<number> {
  const failNever = args.includes("--fail-never");
  const timeoutMs = readTimeout(args, failNever);
  const isEndless = args.some((arg) => endless.includes(arg));
  const terminal = openTerminal(args.includes("--verbose"), isEndless ? Number.POSITIVE_INFINITY : timeoutMs);
  const ended = (exitCode: number) => {
    if (exitCode === exitCodes.done || !failNever) return exitCode;
    terminal.say(`The exit code would be ${exitCode}, but --fail-never sets it to 0.`);
    return exitCodes.done;
  };
  let exitCode: number = exitCodes.done;
  const does =
    <Options>(work: (options: Options) => Promise<number>) =>
    async (options: Options) => {
      exitCode = await work(options);
    };

  const program = new Command("lodge")
    .description("Files tickets and sends reports to Lodge from CI jobs, cron jobs and chat bots.")
    .version(userAgent.split("/")[1] ?? "", "--version", "print the version")
    .addOption(
      new Option(
        "--timeout <seconds>",
        "the time limit, including retries; defaults to 120, or 30 with --fail-never",
      ).argParser((text) => {
        if (!isSeconds(text)) throw new InvalidArgumentError("It must be a number of seconds above 0.");
        return Number(text);
      }),
    )
    .option("--verbose", "log requests and responses to stderr, without secrets")
    .addHelpText("after", environmentHelp)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ outputError: (message, write) => write(hideValues(message)) })
    .showHelpAfterError("(lodge --help lists the commands)")
    .exitOverride();

  const ticket = program.command("ticket").description("file, find and change tickets");
  ticket
    .command("create")
    .description("file a ticket, and print the address of its card")
    .requiredOption("--title <text>", "the title, at most 200 characters")
    .option("--description <text>", "the description, in Markdown")
    .option(
      "--description-file <file>",
      "a file with the description, or - for stdin; the middle of a long file is left out",
    )
    .option("--project <project>", "the project, by slug, name or id; required if the token has access to several")
    .option("--board <board>", "the board, by name or id; defaults to the project's first")
    .option("--column <column>", "the column, by name or id; defaults to the board's leftmost")
    .addOption(new Option("--priority <priority>", "the priority").choices(["none", "low", "medium", "high"]))
    .option("--assignee <who>", "agent, or a member by name or id")
    .option("--repository <repository>", "the repository for the agent, by name or id")
    .option("--starts <day>", "YYYY-MM-DD")
    .option("--due <day>", "YYYY-MM-DD")
    .option("--label <label>", "a label; may be given several times", collect)
    .option("--problem <id>", "your id for the failure: while its ticket is open, the command adds an occurrence to it")
    .option("--resolved", "resolve the problem: move its open ticket to the done column")
    .option("--key <key>", "the idempotency key; by default, derived from the CI run, the job and the title")
    .option("--key-part <text>", "an extra part of the generated key, for example for each leg of a matrix")
    .option("--fail-never", "always exit with 0, so that Lodge cannot fail a build")
    .option("--no-context", "do not append the commit, branch and address of the CI run to the description")
    .option("--dry-run", "look up names and print the request, but do not send it")
    .option("--json", "print one JSON document")
    .addHelpText(
      "after",
      `
Examples:
  lodge ticket create --title "Nightly build is red" --description-file build.log --priority high
  lodge ticket create --title "Backup failed" --problem backup --fail-never    # on failure
  lodge ticket create --title "Backup works" --problem backup --resolved --fail-never    # on success
  make > make.log 2>&1 || lodge ticket create --title "make fails" --description-file make.log`,
    )
    .action(does((options: TicketOptions) => createTicket(options, env, terminal)));

  const run = {
    env,
    terminal,
    ended: (code: number) => {
      exitCode = code;
    },
  };
  addTicketCommands(ticket, run);
  addProblemCommands(program, run);
  program
    .command("mcp")
    .description("run the MCP server over stdin and stdout, for AI agents")
    .action(does(() => serveMcp(env, terminal)));

  const report = program.command("report").description("send reports");
  report
    .command("send")
    .description("send a report as an app's SDK would, and print the id of the event")
    .option("--title <text>", "at most 200 characters")
    .option("--message <text>", "at most 20,000 characters")
    .addOption(
      new Option("--kind <kind>", "the kind of the report").choices(["bug", "crash", "feedback", "question", "other"]),
    )
    .option("--attach <file>", "a file to attach; may be given up to five times", collect)
    .option("--report-id <id>", "the id of the report, which prevents duplicates on a retry; defaults to a new id")
    .option("--json", "print one JSON document")
    .action(does((options: ReportOptions) => sendReport(options, env, terminal)));

  const events = program.command("events").description("follow the events of apps");
  events
    .command("forward")
    .description("send events to a server on your machine as a webhook would, until you stop it")
    .requiredOption("--to <url>", "the URL to send them to, like http://localhost:3000/hook")
    .option("--app <slug>", "only the events of this app")
    .addOption(
      new Option("--from <where>", "where to start; defaults to the event after the last one sent, or now").choices([
        "oldest",
        "now",
      ]),
    )
    .addHelpText(
      "after",
      `
The token needs the permission events:read. The command prints the signing secret at the start. It never changes.`,
    )
    .action(does((options: ForwardOptions) => forwardEvents(options, env, terminal)));

  program
    .command("config")
    .description("print the app's client configuration, as JSON")
    .option("--json", "print JSON, which is the default")
    .action(does(() => showConfig(env, terminal)));

  const sourceMaps = program.command("sourcemaps").description("prepare and upload source maps");
  sourceMaps
    .command("inject")
    .argument("<folder>", "the folder with the bundled files")
    .description("add a debug id to each bundled file; run it before files are hashed or uploaded")
    .option("--json", "print one JSON document")
    .action(async (folder: string, options: InjectOptions) => {
      exitCode = await injectDebugIds(folder, options, terminal);
    });
  sourceMaps
    .command("upload")
    .argument("<folder>", "the folder with the bundled files, as deployed, or with R8's mapping.txt")
    .description(
      "upload the source maps of a build, without the sources of libraries, or the mapping file of an Android build",
    )
    .requiredOption("--app <slug>", "the slug of the app")
    .option(
      "--release <version>",
      "the release or version in the app's reports; not needed if the files have debug ids",
    )
    .option("--uuid <uuid>", "the ProGuard UUID of the Android build, which Sentry's Gradle plugin writes")
    .option("--json", "print one JSON document")
    .action(async (folder: string, options: SourceMapOptions) => {
      exitCode = await uploadSourceMaps(folder, options, env, terminal);
    });

  const token = program.command("token").description("check the API token");
  token
    .command("check")
    .description("show the token's name, access and permissions; never its secret")
    .option("--json", "print one JSON document")
    .action(does((options: { json?: boolean }) => checkToken(options, env, terminal)));

  program
    .command("completion")
    .addArgument(new Argument("<shell>", "the shell").choices(shells))
    .description("print a completion script: source <(lodge completion bash)")
    .action((shell: string) => terminal.print(completionOf(program, shell)));
  addHelpCommand(program);

  try {
    await program.parseAsync([...args], { from: "user" });
    return ended(exitCode);
  } catch (error) {
    if (error instanceof CommanderError) return ended(error.exitCode === 0 ? exitCodes.done : exitCodes.usage);
    if (error instanceof Failure) {
      terminal.say(error.message);
      return ended(error.exitCode);
    }
    terminal.say(`lodge failed: ${(error as Error).stack ?? error}`);
    return ended(exitCodes.refused);
  }
}
