import type { Change } from "@lodge/contract/dashboard/change";
import type { ChangedTickets, ChangeTickets, TicketChange } from "@lodge/contract/dashboard/tickets";
import { sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import { tellAssignee } from "../../people/notifications/tell-people.ts";
import type { Transaction } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { invalidInput, Refusal } from "../../platform/errors.ts";
import { reassignRun } from "../agents/reassign-run.ts";
import { archival, doneness } from "./archival.ts";
import { readCards } from "./card.ts";
import { labelsInWords, makeLabels } from "./make-labels.ts";
import { keysBelow, withRoom } from "./move-ticket.ts";
import { type Entry, recordActivity } from "./record-activity.ts";
import { reopening } from "./reopening.ts";
import { shownLabelsSql } from "./shown-labels.ts";

type Before = {
  id: string;
  columnId: string;
  columnName: string;
  boardId: string;
  boardName: string;
  projectId: string;
  position: string;
  priority: NonNullable<TicketChange["priority"]>;
  assigneeUserId: string | null;
  assigneeName: string | null;
  labels: string[];
  startsAt: string | null;
  dueAt: string | null;
  doneAt: Date | null;
  archivedAt: Date | null;
};
type Column = { id: string; name: string; boardId: string; boardName: string; projectId: string; isDone: boolean };
type Member = { id: string; name: string; isAgent: boolean };

/**
 * Changes many tickets, all or none, and returns the change that undoes it. Unless a position is given, moved cards go
 * to the top of their column, or directly below one of its cards, in the order of the request. Throws
 * `ticket_not_found`, `column_not_found`, `card_moved_away`, `not_a_member`, `invalid_date_range`, or `ticket_changed`
 * if a ticket no longer has the values that its change is based on.
 */
export async function changeTickets(deps: Deps, actor: Actor, { changes }: ChangeTickets): Promise<ChangedTickets> {
  const { organisationId } = actor;
  const wanted = changes.map(normalised);
  const ids = wanted.map(({ ticketId }) => ticketId);
  if (new Set(ids).size < ids.length) {
    throw invalidInput([{ path: "/changes", message: "must not name a ticket twice" }]);
  }
  const lost = wanted.findIndex(
    ({ position, belowTicketId, columnId }) =>
      (position !== undefined || belowTicketId !== undefined) && columnId === undefined,
  );
  if (lost >= 0)
    throw invalidInput([{ path: `/changes/${lost}/columnId`, message: "is required with position or belowTicketId" }]);

  const { news, ...changed } = await reopening(deps.db, async (tx) => {
    // Columns before tickets, in the order in which others lock them.
    const columns = await lockColumns(tx, organisationId, wanted);
    const before = await lockTickets(tx, organisationId, ids);
    const members = await findMembers(tx, organisationId, wanted);
    const { places, spreadIds } = await findPlaces(tx, organisationId, wanted, columns);
    const undo: TicketChange[] = [];
    const news: Change[] = [];
    for (const change of wanted) {
      const was = before.get(change.ticketId);
      if (!was) throw new Error("a ticket was not locked");
      refuseOverwriting(was, change);
      const column = change.columnId === undefined ? undefined : columns.get(change.columnId);
      if (change.columnId !== undefined && column?.projectId !== was.projectId) throw new Refusal("column_not_found");
      const assignee = change.assigneeUserId ? members.get(change.assigneeUserId) : undefined;
      if (change.assigneeUserId && !assignee) throw new Refusal("not_a_member");
      const position = change.position ?? places.get(was.id) ?? was.position;
      const compared = compare(was, change, column && { ...column, position }, assignee);
      if (compared.entries.length === 0 && !column) continue;
      news.push(...(await write(deps, tx, actor, was, change, { ...compared, column, assignee, position })));
      undo.push(compared.back);
    }
    await makeLabels(tx, organisationId, [...new Set(wanted.flatMap(({ labels = [] }) => labels))]);
    for (const id of spreadIds) {
      const boardId = columns.get(id)?.boardId;
      if (boardId) news.push({ kind: "board.changed", boardId }); // all of its cards have new keys now
    }
    return { cards: await readCards(tx, organisationId, ids), undo, news };
  });
  for (const change of news) deps.announce(organisationId, change);
  return changed;
}

/** Refuses to overwrite a change that somebody else made in the meantime. Throws `ticket_changed`. */
function refuseOverwriting(was: Before, { basedOn = {} }: TicketChange) {
  const now: Required<NonNullable<TicketChange["basedOn"]>> = { ...was, archived: was.archivedAt !== null };
  const isOther = Object.entries(basedOn).some(
    ([field, value]) => JSON.stringify(value) !== JSON.stringify(now[field as keyof typeof now]),
  );
  if (isOther) throw new Refusal("ticket_changed");
}

/** Writes a change with its history. Returns the events to announce. */
async function write(
  deps: Deps,
  tx: Transaction,
  actor: Actor,
  was: Before,
  change: TicketChange,
  {
    entries,
    back,
    event,
    column,
    assignee,
    position,
  }: ReturnType<typeof compare> & { column: Column | undefined; assignee: Member | undefined; position: string },
): Promise<Change[]> {
  const { organisationId } = actor;
  const now = deps.clock.now();
  const moved = column && column.id !== was.columnId;
  await tx
    .updateTable("tickets")
    .set({
      ...(column && { column_id: column.id, position }),
      ...(moved && doneness(column.isDone, now)),
      ...(change.priority && { priority: change.priority }),
      ...(change.assigneeUserId !== undefined && { assignee_user_id: change.assigneeUserId }),
      ...(change.labels && { labels: change.labels }),
      ...(change.startsAt !== undefined && { starts_at: change.startsAt }),
      ...(change.dueAt !== undefined && { due_at: change.dueAt }),
      ...("archived" in back && archival(change.archived === true, moved ? column.isDone : was.doneAt !== null, now)),
    })
    .where("organisation_id", "=", organisationId)
    .where("id", "=", was.id)
    .execute();
  for (const entry of entries) await recordActivity(deps, tx, actor, was.id, entry);
  const news: Change[] = [];
  if ("assigneeUserId" in back) {
    const isAgent = assignee?.isAgent ?? false;
    const runId = await reassignRun(tx, actor, { ticketId: was.id, isAgent, at: now });
    if (runId) news.push({ kind: "run.changed", runId, ticketId: was.id });
    if (assignee && !isAgent) {
      await tellAssignee(tx, actor, { ticketId: was.id, assigneeUserId: assignee.id, at: now });
      news.push({ kind: "notices.changed", userId: assignee.id });
    }
  }
  const place = { boardId: column?.boardId ?? was.boardId, columnId: column?.id ?? was.columnId };
  const details = { ticketId: was.id, ...place };
  if (event !== "ticket.moved") return [...news, { kind: event, ...details }];
  return [...news, { kind: event, ...details, fromBoardId: was.boardId, fromColumnId: was.columnId }];
}

/** The results of a change: its history entries, the change that undoes it, and the events for boards. */
function compare(
  was: Before,
  change: TicketChange,
  column: (Column & { position: string }) | undefined,
  assignee: Member | undefined,
) {
  const entries: Entry[] = [];
  const basedOn: NonNullable<TicketChange["basedOn"]> = {};
  const back: TicketChange = { ticketId: was.id, basedOn };
  let event: "ticket.changed" | "ticket.moved" | "ticket.archived" | "ticket.restored" = "ticket.changed";
  const fields: Extract<Entry, { kind: "ticket.changed" }>["changes"] = [];
  if (change.priority && change.priority !== was.priority) {
    back.priority = was.priority;
    basedOn.priority = change.priority;
    fields.push({ field: "priority", from: was.priority, to: change.priority });
  }
  if (change.assigneeUserId !== undefined && change.assigneeUserId !== was.assigneeUserId) {
    back.assigneeUserId = was.assigneeUserId;
    basedOn.assigneeUserId = change.assigneeUserId;
    fields.push({ field: "assignee", from: was.assigneeName, to: assignee?.name ?? null });
  }
  const { startsAt = was.startsAt, dueAt = was.dueAt } = change;
  if (startsAt !== null && dueAt !== null && startsAt > dueAt) throw new Refusal("invalid_date_range");
  for (const [field, to] of [
    ["startsAt", startsAt],
    ["dueAt", dueAt],
  ] as const) {
    if (to === was[field]) continue;
    back[field] = was[field];
    basedOn[field] = to;
    fields.push({ field, from: was[field], to });
  }
  if (change.labels && labelsInWords(change.labels) !== labelsInWords(was.labels)) {
    back.labels = was.labels;
    basedOn.labels = change.labels;
    fields.push({ field: "labels", from: labelsInWords(was.labels), to: labelsInWords(change.labels) });
  }
  if (fields.length > 0) entries.push({ kind: "ticket.changed", changes: fields });
  if (column) {
    back.columnId = was.columnId;
    back.position = was.position;
    basedOn.columnId = column.id;
    basedOn.position = column.position;
    event = "ticket.moved";
    if (column.id !== was.columnId) entries.push({ kind: event, ...wayInWords(was, column) });
  }
  if (change.archived !== undefined && change.archived !== (was.archivedAt !== null)) {
    back.archived = !change.archived;
    basedOn.archived = change.archived;
    event = change.archived ? "ticket.archived" : "ticket.restored";
    entries.push({ kind: event });
  }
  return { entries, back, event };
}

function wayInWords(was: Before, column: Column) {
  const named = (board: string, name: string) => (column.boardId === was.boardId ? name : `${board} / ${name}`);
  return { from: named(was.boardName, was.columnName), to: named(column.boardName, column.name) };
}

async function lockColumns(tx: Transaction, organisationId: string, changes: TicketChange[]) {
  const { rows } = await sql<Column>`
    select columns.id, columns.name, columns.board_id as "boardId", boards.name as "boardName",
      boards.project_id as "projectId", columns.is_done as "isDone"
    from columns join boards on boards.organisation_id = columns.organisation_id and boards.id = columns.board_id
    where columns.organisation_id = ${organisationId}
      and columns.id = any(${changes.flatMap(({ columnId = [] }) => columnId)}::uuid[])
    order by columns.id for no key update of columns`.execute(tx);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Locks and returns the tickets. Throws `ticket_not_found` if one is not the organisation's. */
async function lockTickets(tx: Transaction, organisationId: string, ids: string[]) {
  await sql`
    select from tickets where organisation_id = ${organisationId} and id = any(${ids}::uuid[])
    order by id for no key update`.execute(tx);
  const { rows } = await sql<Before>`
    select t.id, t.column_id as "columnId", columns.name as "columnName", boards.id as "boardId",
      boards.name as "boardName", boards.project_id as "projectId", t.position, t.priority,
      t.assignee_user_id as "assigneeUserId", users.name as "assigneeName", ${shownLabelsSql} as labels,
      t.starts_at as "startsAt", t.due_at as "dueAt", t.done_at as "doneAt", t.archived_at as "archivedAt"
    from tickets t
    join columns on columns.organisation_id = t.organisation_id and columns.id = t.column_id
    join boards on boards.organisation_id = columns.organisation_id and boards.id = columns.board_id
    left join users on users.id = t.assignee_user_id
    where t.organisation_id = ${organisationId} and t.id = any(${ids}::uuid[])`.execute(tx);
  if (rows.length < ids.length) throw new Refusal("ticket_not_found");
  return new Map(rows.map((row) => [row.id, row]));
}

async function findMembers(tx: Transaction, organisationId: string, changes: TicketChange[]) {
  const { rows } = await sql<Member>`
    select users.id, users.name, users.id = organisations.agent_user_id as "isAgent"
    from members join users on users.id = members.user_id
    join organisations on organisations.id = members.organisation_id
    where members.organisation_id = ${organisationId}
      and members.user_id = any(${changes.flatMap(({ assigneeUserId }) => assigneeUserId ?? [])}::uuid[])`.execute(tx);
  return new Map(rows.map((row) => [row.id, row]));
}

/** The keys of cards moved without one, in the order of the request; and the columns respaced for them. */
async function findPlaces(
  tx: Transaction,
  organisationId: string,
  changes: TicketChange[],
  columns: ReadonlyMap<string, Column>,
) {
  const placed = changes.filter(({ columnId = "", position }) => columns.has(columnId) && position === undefined);
  const places = new Map<string, string>();
  const spreadIds: string[] = [];
  const together = Map.groupBy(placed, ({ columnId, belowTicketId }) => `${columnId} ${belowTicketId ?? ""}`);
  for (const cards of together.values()) {
    const { columnId = "", belowTicketId } = cards[0] as TicketChange;
    const movedIds = cards.map(({ ticketId }) => ticketId);
    const find = () =>
      belowTicketId
        ? keysBelow(tx, organisationId, columnId, movedIds, belowTicketId)
        : topKeys(tx, organisationId, columnId, cards.length);
    const { keys, isSpread } = await withRoom(tx, organisationId, columnId, cards.length, await find(), find);
    if (isSpread) spreadIds.push(columnId);
    for (const [index, { ticketId }] of cards.entries()) places.set(ticketId, keys[index] ?? "");
  }
  return { places, spreadIds };
}

/** Returns `count` keys above all cards of a column, the greatest first. */
async function topKeys(tx: Transaction, organisationId: string, columnId: string, count: number): Promise<string[]> {
  const { rows } = await sql<{ top: string | null; fresh: string[] }>`
    select (
        select position from tickets where organisation_id = ${organisationId} and column_id = ${columnId}
        order by position desc limit 1) as top,
      (select array_agg(replace(uuidv7()::text, '-', '')) from generate_series(1, ${count})) as fresh`.execute(tx);
  const { top, fresh } = rows[0] as (typeof rows)[number];
  const ascending = fresh.sort();
  const isBelow = top === null || top < (ascending[0] ?? "");
  const keys = isBelow ? ascending : ascending.map((_, index) => `${top}${index.toString(16).padStart(2, "0")}8`);
  return keys.reverse();
}

const normalised = (change: TicketChange): TicketChange => ({
  ...change,
  ticketId: change.ticketId.toLowerCase(),
  ...(change.columnId !== undefined && { columnId: change.columnId.toLowerCase() }),
  ...(change.belowTicketId && { belowTicketId: change.belowTicketId.toLowerCase() }),
  ...(change.assigneeUserId && { assigneeUserId: change.assigneeUserId.toLowerCase() }),
  ...(change.labels && { labels: [...new Set(change.labels)] }),
});
