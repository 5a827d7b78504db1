import type { ArchiveQuery } from "@lodge/contract/dashboard/boards";
import type { TrashedTicket, TrashPage } from "@lodge/contract/dashboard/trash";
import { trashDays } from "@lodge/contract/limits";
import { type RawBuilder, sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { readTimeCursor, writeTimeCursor } from "../../platform/time-cursor.ts";

const pageTickets = 50;

type Row = {
  id: string;
  number: string | null;
  title: string;
  project_id: string;
  board_id: string;
  deleted_at: Date;
  deleted_by: string;
};

/** The tickets in a project's trash, the most recently deleted first. Throws `project_not_found` or `invalid_input`. */
export async function listTrash(
  { db }: Deps,
  { organisationId }: Actor,
  projectId: string,
  { cursor }: ArchiveQuery,
): Promise<TrashPage> {
  const after = cursor === undefined ? null : readTimeCursor(cursor);
  const project = await db
    .selectFrom("projects")
    .select("id")
    .where("organisation_id", "=", organisationId)
    .where("id", "=", projectId)
    .executeTakeFirst();
  if (!project) throw new Refusal("project_not_found");
  const isAfter = after ? sql`(t.deleted_at, t.id) < (${after.at}::timestamptz, ${after.id}::uuid)` : sql`true`;
  const found = await readTrash(db, organisationId, sql`t.deleted_project_id = ${project.id} and ${isAfter}`);
  const tickets = found.slice(0, pageTickets);
  const last = tickets.at(-1);
  return {
    tickets,
    nextCursor: last && found.length > pageTickets ? writeTimeCursor(last.deletedAt, last.id) : null,
  };
}

/** A ticket in the trash of the organisation. Throws `ticket_not_found`. */
export async function showTrashed({ db }: Deps, { organisationId }: Actor, ticketId: string): Promise<TrashedTicket> {
  const [ticket] = await readTrash(db, organisationId, sql`t.id = ${ticketId}`);
  if (!ticket) throw new Refusal("ticket_not_found");
  return ticket;
}

async function readTrash(db: Database, organisationId: string, which: RawBuilder<unknown>): Promise<TrashedTicket[]> {
  const { rows } = await sql<Row>`
    select t.id, upper(projects.slug) || '-' || numbered.number as number, t.title, t.deleted_project_id as project_id,
      t.deleted_board_id as board_id, t.deleted_at, t.deleted_by
    from tickets t
    left join ticket_numbers numbered on numbered.organisation_id = t.organisation_id and numbered.ticket_id = t.id
    left join projects on projects.organisation_id = numbered.organisation_id and projects.id = numbered.project_id
    where t.organisation_id = ${organisationId} and t.deleted_project_id is not null and ${which}
    order by t.deleted_at desc, t.id desc limit ${pageTickets + 1}`.execute(db);
  return rows.map((row) => ({
    id: row.id,
    number: row.number,
    title: row.title,
    projectId: row.project_id,
    boardId: row.board_id,
    deletedAt: row.deleted_at.toISOString(),
    deletedBy: row.deleted_by,
    purgedAt: new Date(row.deleted_at.getTime() + trashDays * 86_400_000).toISOString(),
  }));
}
