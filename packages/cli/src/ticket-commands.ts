import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { CallError, type Caller } from "@lodge/contract/call";
import { commentOnTicket, listTickets, readTicket, updateTicket } from "@lodge/contract/calls.generated";
import type { Ticket, TicketQuery, UpdateTicket } from "@lodge/contract/tickets";
import { failureOf, openClient } from "./client.ts";
import { type Environment, readAddress, requireToken } from "./credentials.ts";
import { exitCodes, Failure } from "./failure.ts";
import { resolveNames, withDefaults } from "./resolve-names.ts";
import { factsOf, tableOf } from "./table.ts";
import type { Terminal } from "./terminal.ts";
import { fitDescription, fitTitle, readEnds } from "./text.ts";

type Named = { project?: string; board?: string; column?: string; assignee?: string; repository?: string };

/** The options of `lodge ticket list`. */
export type ListOptions = Named & {
  state?: TicketQuery["state"];
  search?: string;
  label?: string;
  priority?: TicketQuery["priority"];
  problem?: string;
  since?: string;
  sort?: TicketQuery["sort"];
  limit?: string;
  cursor?: string;
  json?: boolean;
};

/** The options of `lodge ticket edit`. */
export type EditOptions = Named & {
  title?: string;
  description?: string;
  descriptionFile?: string;
  priority?: UpdateTicket["priority"];
  starts?: string;
  due?: string;
  label?: string[];
  addLabel?: string[];
  removeLabel?: string[];
  position?: UpdateTicket["position"];
  archive?: boolean;
  restore?: boolean;
  json?: boolean;
};

/** Runs `work` with a client of the API; turns errors of the API into a `Failure`. */
export async function asking(
  env: Environment,
  terminal: Terminal,
  work: (call: Caller) => Promise<void>,
  headers: Record<string, string> = {},
): Promise<number> {
  const secret = requireToken(env, terminal);
  const address = readAddress(env);
  try {
    await work(openClient({ address, secret, terminal, headers }));
    return exitCodes.done;
  } catch (error) {
    throw error instanceof CallError ? failureOf(error, address) : error;
  }
}

const json = (terminal: Terminal, document: unknown) => terminal.print(JSON.stringify(document, null, 2));
const query = <T extends object>(values: T) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as T;

/** Prints the tickets that the token has access to. */
export const listCommand = (options: ListOptions, env: Environment, terminal: Terminal) =>
  asking(env, terminal, async (call) => {
    const { projectId, boardId, columnId, assigneeUserId } = await resolveNames(call, withDefaults(options, env));
    const { state, search: q, label, priority, problem, since: updatedSince, sort, limit, cursor } = options;
    const filter = { projectId, boardId, columnId, assigneeUserId, state, q, label, priority, problem, updatedSince };
    const page = await call(listTickets, { query: query({ ...filter, sort, limit, cursor }) as TicketQuery });
    if (options.json) return json(terminal, page);
    if (page.tickets.length === 0) return terminal.say("No tickets found.");
    const rows = page.tickets.map(({ number, id, title, column, priority: urgency, assignee, dueAt }) => [
      number ?? id,
      column.name,
      urgency,
      assignee?.name ?? "",
      dueAt ?? "",
      title,
    ]);
    terminal.print(tableOf(["TICKET", "COLUMN", "PRIORITY", "ASSIGNEE", "DUE", "TITLE"], rows));
    if (page.next) terminal.say(`For the next page, add --cursor ${page.next}`);
  });

/** Prints a ticket. */
export const showCommand = (ticket: string, options: { json?: boolean }, env: Environment, terminal: Terminal) =>
  asking(env, terminal, async (call) => printTicket(await call(readTicket, { params: { ticket } }), options, terminal));

function printTicket(ticket: Ticket, options: { json?: boolean }, terminal: Terminal) {
  if (options.json) return json(terminal, ticket);
  const { number, id, title, column, board, project, author, assignee, run } = ticket;
  const facts = factsOf({
    Ticket: number ?? id,
    Title: title,
    Column: `${project.name} / ${board.name} / ${column.name}`,
    Priority: ticket.priority,
    Labels: ticket.labels.join(", "),
    Assignee: assignee?.name,
    Author: author.name,
    Starts: ticket.startsAt,
    Due: ticket.dueAt,
    Created: ticket.createdAt,
    Updated: ticket.updatedAt,
    Done: ticket.doneAt,
    Archived: ticket.archivedAt,
    Problem: ticket.problem,
    Occurrences: ticket.problem === null ? null : ticket.occurrences,
    Run: run && [run.state, run.reason, run.pullRequestUrl].filter(Boolean).join(" "),
    Comments: ticket.commentCount,
    Address: ticket.url,
  });
  terminal.print(ticket.description === "" ? facts : `${facts}\n\n${visible(ticket.description)}`);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal would obey them, and anybody can write a description
const visible = (text: string) => text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "");

/** Changes a ticket, and prints its address. */
export const editCommand = (ticket: string, options: EditOptions, env: Environment, terminal: Terminal) =>
  asking(env, terminal, async (call) => {
    if (options.archive && options.restore) throw new Failure("usage", "Give --archive or --restore, not both.");
    const { projectId: _, ...places } = await resolveNames(call, await inProjectOf(call, ticket, options));
    const description = await readText(options.description, options.descriptionFile, "--description");
    const none = (text: string | undefined) => (text === "none" ? null : text);
    const body = query({
      title: options.title === undefined ? undefined : fitTitle(options.title).title,
      description,
      priority: options.priority,
      startsAt: none(options.starts),
      dueAt: none(options.due),
      labels: options.label,
      addLabels: options.addLabel,
      removeLabels: options.removeLabel,
      position: options.position,
      archived: options.archive ? true : options.restore ? false : undefined,
      ...places,
      ...(options.assignee === "none" && { assigneeUserId: null }),
    }) as UpdateTicket;
    if (Object.keys(body).length === 0)
      throw new Failure("usage", "Give at least one change. See lodge ticket edit --help.");
    const changed = await call(updateTicket, { params: { ticket }, body });
    if (options.json) json(terminal, changed);
    else terminal.print(changed.url);
  });

/** Looks up names of boards and columns in the ticket's own project, and names of columns on its own board. */
async function inProjectOf(call: Caller, ticket: string, options: EditOptions): Promise<Named> {
  const { board, column, repository, assignee } = options;
  const named = {
    ...(board !== undefined && { board }),
    ...(column !== undefined && { column }),
    ...(repository !== undefined && { repository }),
    ...(assignee !== undefined && assignee !== "none" && { assignee }),
  };
  if (board === undefined && column === undefined && repository === undefined) return named;
  const { projectId, boardId } = await call(readTicket, { params: { ticket } });
  return { ...named, project: projectId, ...(column !== undefined && board === undefined && { board: boardId }) };
}

/** Closes a ticket or opens it again, and prints its address. */
export const doneCommand = (
  ticket: string,
  done: boolean,
  options: { json?: boolean },
  env: Environment,
  terminal: Terminal,
) =>
  asking(env, terminal, async (call) => {
    const body = done ? { done } : { done, archived: false };
    const changed = await call(updateTicket, { params: { ticket }, body });
    if (options.json) json(terminal, changed);
    else terminal.print(changed.url);
  });

/** Comments on a ticket, and prints the comment's address. A retry does not add the comment twice. */
export const commentCommand = (
  ticket: string,
  text: string | undefined,
  options: { file?: string; json?: boolean },
  env: Environment,
  terminal: Terminal,
) =>
  asking(
    env,
    terminal,
    async (call) => {
      const said = await readText(text, options.file, "the text");
      if (said === undefined || said.trim() === "")
        throw new Failure("usage", "Give the text of the comment, or --file.");
      const comment = await call(commentOnTicket, { params: { ticket }, body: { text: said } });
      if (options.json) json(terminal, comment);
      else terminal.print(comment.url);
    },
    { "idempotency-key": `lodge-once-${randomUUID()}` },
  );

/** The text of the argument or of the file; of a long file only the start and the end. */
async function readText(text: string | undefined, file: string | undefined, what: string) {
  if (text !== undefined && file !== undefined) throw new Failure("usage", `Give ${what} or a file, not both.`);
  if (file === undefined) return text;
  try {
    const { text: read, leftOut } = await readEnds(file === "-" ? process.stdin : createReadStream(file));
    return fitDescription(read, leftOut).description;
  } catch (error) {
    throw new Failure("usage", `${file} cannot be read: ${(error as Error).message}`);
  }
}
