import type { EventPage, EventQuery } from "@lodge/contract/dashboard/inbox";
import { sql } from "kysely";
import type { Actor } from "../access/find-actor.ts";
import type { Deps } from "../platform/deps.ts";
import { Refusal } from "../platform/errors.ts";
import { readCursor, writeCursor } from "./inbox-cursor.ts";
import { type EventRow, eventColumns, toEventSummary } from "./inbox-rows.ts";

const pageEvents = 50;

/**
 * The occurrences of a problem, the latest first, at most 50. Throws `problem_not_found`, and `invalid_input` for a cursor
 * that is not ours.
 */
export async function listProblemEvents(
  { db }: Deps,
  { organisationId }: Actor,
  problemId: string,
  { cursor }: EventQuery,
): Promise<EventPage> {
  const problem = await db
    .selectFrom("problems")
    .select(["app_id", "id"])
    .where("organisation_id", "=", organisationId)
    .where("id", "=", problemId)
    .executeTakeFirst();
  if (!problem) throw new Refusal("problem_not_found");
  const after = cursor === undefined ? undefined : readCursor("newest", cursor);
  const below = after ? sql`(e.received_at, e.event_id) < (${after.at}::timestamptz, ${after.id}::uuid)` : sql`true`;
  const limit = sql.lit(pageEvents + 1);
  // Of each of its hashes the first in order: a problem that was never merged has one.
  const { rows } = await sql<EventRow>`
    select ${eventColumns} from problem_hashes h
    cross join lateral (
      select * from event_summaries e
      where e.app_id = h.app_id and e.hash = h.hash and ${below}
      order by e.received_at desc, e.event_id desc limit ${limit}
    ) e
    where h.app_id = ${problem.app_id} and h.problem_id = ${problem.id}
    order by e.received_at desc, e.event_id desc limit ${limit}`.execute(db);
  const events = rows.slice(0, pageEvents).map(toEventSummary);
  const last = events.at(-1);
  return {
    events,
    nextCursor:
      last && rows.length > pageEvents ? writeCursor("newest", { count: 1, at: last.receivedAt, id: last.id }) : null,
  };
}
