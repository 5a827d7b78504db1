import { type Command, Option } from "commander";
import type { Environment } from "./credentials.ts";
import {
  listProblemsCommand,
  type ProblemOptions,
  resolveProblemCommand,
  showProblemCommand,
} from "./problem-commands.ts";
import type { Terminal } from "./terminal.ts";
import {
  commentCommand,
  doneCommand,
  type EditOptions,
  editCommand,
  type ListOptions,
  listCommand,
  showCommand,
} from "./ticket-commands.ts";

type Run = { env: Environment; terminal: Terminal; ended: (exitCode: number) => void };

const collect = (value: string, list: string[] = []) => [...list, value];
const jsonOption = ["--json", "print one JSON document"] as const;
const ticketArgument = ["<ticket>", "the ticket's number, like WEB-12, or its id"] as const;
const priorities = ["none", "low", "medium", "high"];

/** The commands that find and change tickets. */
export function addTicketCommands(ticket: Command, { env, terminal, ended }: Run) {
  ticket
    .command("list")
    .description("list tickets, most recently changed first")
    .option("--project <project>", "by slug, name or id")
    .option("--board <board>", "by name or id")
    .option("--column <column>", "by name or id")
    .addOption(new Option("--state <state>", "defaults to open").choices(["open", "done", "archived", "all"]))
    .option("--search <text>", "part of the title or description, or the number")
    .option("--label <label>", "a label")
    .option("--assignee <who>", "agent, or a member by name or id")
    .addOption(new Option("--priority <priority>", "the priority").choices(priorities))
    .option("--problem <id>", "the id of the problem")
    .option("--since <time>", "changed at or after this time, like 2026-05-01T00:00:00Z")
    .addOption(
      new Option("--sort <by>", "defaults to updatedAt").choices(["createdAt", "updatedAt", "dueAt", "priority"]),
    )
    .option("--limit <count>", "the number to list, 1 to 100")
    .option("--cursor <cursor>", "the cursor that the previous page printed")
    .option(...jsonOption)
    .action(async (options: ListOptions) => ended(await listCommand(options, env, terminal)));
  ticket
    .command("show")
    .argument(...ticketArgument)
    .description("print a ticket")
    .option(...jsonOption)
    .action(async (id: string, options: { json?: boolean }) => ended(await showCommand(id, options, env, terminal)));
  addEditCommand(ticket, { env, terminal, ended });
  ticket
    .command("comment")
    .argument(...ticketArgument)
    .argument("[text]", "the text, in Markdown")
    .description("comment on a ticket")
    .option("--file <file>", "a file with the text, or - for stdin")
    .option(...jsonOption)
    .action(async (id: string, text: string | undefined, options: { file?: string; json?: boolean }) =>
      ended(await commentCommand(id, text, options, env, terminal)),
    );
  for (const [name, done, what] of [
    ["close", true, "move a ticket to its board's done column"],
    ["open", false, "move a ticket to its board's leftmost column, and restore it from the archive"],
  ] as const) {
    ticket
      .command(name)
      .argument(...ticketArgument)
      .description(what)
      .option(...jsonOption)
      .action(async (id: string, options: { json?: boolean }) =>
        ended(await doneCommand(id, done, options, env, terminal)),
      );
  }
}

function addEditCommand(ticket: Command, { env, terminal, ended }: Run) {
  ticket
    .command("edit")
    .argument(...ticketArgument)
    .description("change the given fields of a ticket")
    .option("--title <text>", "the title")
    .option("--description <text>", "the description, in Markdown")
    .option("--description-file <file>", "a file with the description, or - for stdin")
    .addOption(new Option("--priority <priority>", "the priority").choices(priorities))
    .option("--assignee <who>", "agent, a member by name or id, or none")
    .option("--repository <repository>", "the repository for the agent, by name or id")
    .option("--starts <day>", "YYYY-MM-DD, or none")
    .option("--due <day>", "YYYY-MM-DD, or none")
    .option("--label <label>", "a label that replaces the current ones; may be given several times", collect)
    .option("--add-label <label>", "add a label; may be given several times", collect)
    .option("--remove-label <label>", "remove a label; may be given several times", collect)
    .option("--board <board>", "move it to a board of the same project")
    .option("--column <column>", "move it to a column of its board, or of --board")
    .addOption(new Option("--position <where>", "the position in the column").choices(["top", "bottom"]))
    .option("--archive", "archive it")
    .option("--restore", "restore it from the archive")
    .option(...jsonOption)
    .action(async (id: string, options: EditOptions) => ended(await editCommand(id, options, env, terminal)));
}

/** The commands that find and resolve problems. */
export function addProblemCommands(program: Command, { env, terminal, ended }: Run) {
  const problem = program.command("problem").description("find and resolve the problems of apps");
  problem
    .command("list")
    .description("list problems, most recently seen first")
    .option("--app <slug>", "only the problems of this app")
    .addOption(new Option("--state <state>", "defaults to open").choices(["open", "resolved", "muted", "all"]))
    .option("--search <text>", "text and filters as in the inbox's search, like user:grace@example.com or is:new")
    .option("--environment <name>", "seen in this environment")
    .option("--app-version <version>", "seen in this version of the app")
    .addOption(
      new Option("--sort <by>", "defaults to lastSeenAt").choices(["lastSeenAt", "firstSeenAt", "events", "users"]),
    )
    .option("--limit <count>", "the number to list, 1 to 100")
    .option("--cursor <cursor>", "the cursor that the previous page printed")
    .option(...jsonOption)
    .action(async (options: ProblemOptions) => ended(await listProblemsCommand(options, env, terminal)));
  problem
    .command("show")
    .argument("<problem>", "the id of the problem")
    .description("print a problem")
    .option(...jsonOption)
    .action(async (id: string, options: { json?: boolean }) =>
      ended(await showProblemCommand(id, options, env, terminal)),
    );
  problem
    .command("resolve")
    .argument("<problem>", "the id of the problem")
    .description("resolve a problem; it reopens if it occurs in a newer version")
    .option("--in <version>", "the version that has the fix; defaults to the app's newest")
    .option(...jsonOption)
    .action(async (id: string, options: { in?: string; json?: boolean }) =>
      ended(await resolveProblemCommand(id, options, env, terminal)),
    );
}
