import type { MakeTaskCard } from "@lodge/contract/dashboard/relations";
import type { TicketDetails } from "@lodge/contract/dashboard/tickets";
import { descriptionLengthMax, relationsMax, titleLengthMax } from "@lodge/contract/limits";
import { sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { changeComment } from "../tickets/change-comment.ts";
import { changeTicket } from "../tickets/change-ticket.ts";
import { createTicket } from "../tickets/create-ticket.ts";
import { readTicket } from "../tickets/read-ticket.ts";
import { relateTickets } from "./relate-tickets.ts";

const task = /^([ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[[ xX]\][ \t]+)(\S.*)$/;
const triesMax = 3;

/** The text that has the task: how to read it, and how to replace it if it is unchanged. */
type Source = { read: () => Promise<string>; write: (before: string, after: string) => Promise<unknown> };

/**
 * Files a card for a task, a line like `- [ ] task`, in the leftmost column of the ticket's board, relates it to the
 * ticket, and replaces the task with the card's number, or its address while it has none. If somebody rewrites the line
 * meanwhile, the card stays. Throws `ticket_not_found`, `comment_not_found`, `forbidden` for another person's comment,
 * `too_many_relations`, or `text_changed` if the line no longer has the task.
 */
export async function makeTaskCard(
  deps: Deps,
  actor: Actor,
  ticketId: string,
  { line, task: wanted, commentId }: MakeTaskCard,
): Promise<TicketDetails> {
  const { organisationId } = actor;
  const origin = await readTicket(deps, deps.db, organisationId, ticketId);
  const source =
    commentId === undefined ? description(deps, actor, ticketId) : comment(deps, actor, ticketId, commentId);
  const text = await source.read();
  if (replaceTask(text, line, wanted, "") === undefined) {
    throw new Refusal("text_changed", { current: { title: origin.title, description: origin.description } });
  }
  const columnId = await findColumn(deps, organisationId, origin.id, origin.board.id);
  const title = [...wanted.trim()];
  const card = await createTicket(deps, actor, {
    title: title.slice(0, titleLengthMax).join("").trim(),
    ...(title.length > titleLengthMax && { description: wanted.trim().slice(0, descriptionLengthMax) }),
    columnId,
  });
  await relateTickets(deps, actor, origin.id, { kind: "relatesTo", otherId: card.id });
  await replaceInSource(source, text, line, wanted, card.number ?? card.url);
  return card;
}

/** The text with a task replaced; undefined if there is no such task on the line. */
function replaceTask(text: string, line: number, wanted: string, by: string): string | undefined {
  const lines = text.split(/(\r\n?|\n)/); // lines and their line breaks alternate
  const [, mark, said] = task.exec(lines[2 * line] ?? "") ?? [];
  if (mark === undefined || said?.trim() !== wanted.trim()) return undefined;
  lines[2 * line] = `${mark}${by}`;
  return lines.join("");
}

/** Retries if somebody else has written meanwhile, for as long as the task is there. */
async function replaceInSource(source: Source, text: string, line: number, wanted: string, by: string) {
  let before = text;
  for (let tries = 1; tries <= triesMax; tries++) {
    const after = replaceTask(before, line, wanted, by);
    if (after === undefined || [...after].length > descriptionLengthMax) return;
    try {
      await source.write(before, after);
      return;
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== "text_changed") throw error;
      before = await source.read();
    }
  }
}

const description = (deps: Deps, actor: Actor, ticketId: string): Source => ({
  read: async () => (await readTicket(deps, deps.db, actor.organisationId, ticketId)).description,
  write: (before, after) =>
    changeTicket(deps, actor, ticketId, { description: after, basedOn: { description: before } }),
});

function comment(deps: Deps, actor: Actor, ticketId: string, commentId: string): Source {
  const find = async () => {
    const found = await deps.db
      .selectFrom("comments")
      .select(["author_user_id", "text", "mentions"])
      .where("organisation_id", "=", actor.organisationId)
      .where("ticket_id", "=", ticketId)
      .where("id", "=", commentId)
      .executeTakeFirst();
    if (!found) throw new Refusal("comment_not_found");
    if (found.author_user_id !== actor.userId) throw new Refusal("forbidden");
    return { text: found.text, mentions: found.mentions as { id: string; name: string }[] };
  };
  return {
    read: async () => (await find()).text,
    write: async (_before, text) => {
      const { mentions } = await find();
      const said = mentions.filter(({ name }) => text.includes(`@${name}`));
      return changeComment(deps, actor, { ticketId, commentId }, { text, mentionedUserIds: said.map(({ id }) => id) });
    },
  };
}

/**
 * The leftmost column of a board, for a card that will be related to a ticket. Throws `too_many_relations` or
 * `ticket_not_found`.
 */
async function findColumn({ db }: Deps, organisationId: string, ticketId: string, boardId: string): Promise<string> {
  const { rows } = await sql<{ id: string; relations: number }>`
    select id, (
      select count(*) from ticket_relations
      where organisation_id = ${organisationId} and ${ticketId} in (ticket_id, other_id))::integer as relations
    from columns where organisation_id = ${organisationId} and board_id = ${boardId}
    order by is_done, position, id limit 1`.execute(db);
  const [column] = rows;
  if (!column) throw new Refusal("ticket_not_found"); // its board was deleted meanwhile
  if (column.relations >= relationsMax) throw new Refusal("too_many_relations");
  return column.id;
}
