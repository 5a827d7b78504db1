import type { WorkPage, WorkQuery } from "@lodge/contract/dashboard/work";
import { sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";
import { invalidInput } from "../../platform/errors.ts";
import { isDay } from "../../platform/read-time.ts";
import { type CardRow, cardColumns, cardJoins, toCard } from "../tickets/card.ts";
import { withNumbers } from "../tickets/number-tickets.ts";
import { type PlaceRow, placeColumns, placeJoins, toPlace } from "../tickets/read-ticket.ts";

const pageCards = 50;

/** The open cards that a member is assigned to, or the others that they follow, by due date. Throws `invalid_input`. */
export async function listWork(
  { db }: Deps,
  { organisationId, userId }: Actor,
  { show = "assigned", cursor }: WorkQuery,
): Promise<WorkPage> {
  const after = cursor === undefined ? null : readCursor(cursor);
  const assigned = sql`
    select id from tickets where organisation_id = ${organisationId} and assignee_user_id = ${userId}
      and done_at is null and archived_at is null`;
  const followed = sql`
    select id from tickets where organisation_id = ${organisationId} and author_user_id = ${userId}
      and done_at is null and archived_at is null
    union select ticket_id from comments where organisation_id = ${organisationId} and author_user_id = ${userId}
    union select ticket_id from ticket_follows
      where organisation_id = ${organisationId} and user_id = ${userId} and state = 'watching'
    except (${assigned} union select ticket_id from ticket_follows
      where organisation_id = ${organisationId} and user_id = ${userId} and state = 'muted')`;
  const due = sql`coalesce(t.due_at, 'infinity'::date)`;
  const { rows } = await sql<CardRow & PlaceRow>`
    with mine as materialized (${show === "assigned" ? assigned : followed})
    select ${cardColumns}, ${placeColumns}
    from mine join tickets t on t.organisation_id = ${organisationId} and t.id = mine.id ${cardJoins} ${placeJoins}
    where t.done_at is null and t.archived_at is null and ${
      after ? sql`(${due} > ${after.due}::date or ${due} = ${after.due}::date and t.id < ${after.id}::uuid)` : sql`true`
    }
    order by ${due}, t.id desc limit ${pageCards + 1}`.execute(db);
  const page = await withNumbers(db, organisationId, rows.slice(0, pageCards));
  const last = page.at(-1);
  return {
    cards: page.map((row) => ({ ...toCard(row), ...toPlace(row) })),
    nextCursor: last && rows.length > pageCards ? `${last.due_at ?? "infinity"}_${last.id}` : null,
  };
}

const cursorPattern = /^(infinity|\d{4}-\d{2}-\d{2})_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

function readCursor(cursor: string): { due: string; id: string } {
  const [, due, id] = cursorPattern.exec(cursor) ?? [];
  if (!due || !id || (due !== "infinity" && !isDay(due))) {
    throw invalidInput([{ path: "/cursor", message: "must be from an earlier response" }]);
  }
  return { due, id };
}
