import type { EventPage, EventQuery } from "@lodge/contract/dashboard/inbox";
import { type RawBuilder, sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { clockSlackMs, idAt } from "../../platform/uuid-time.ts";
import { readCursor, writeCursor } from "./inbox-cursor.ts";
import { type EventRow, eventColumns, toEventSummary } from "./inbox-rows.ts";
import { readNewestFirst } from "./newest-first.ts";

const pageEventsDefault = 50;
const namedHashesMax = 10;

/**
 * The occurrences of a problem, newest first, at most `pageEvents`. Throws `problem_not_found`, or `invalid_input` for
 * a wrong cursor.
 */
export async function listProblemEvents(
  { db, clock }: Deps,
  { organisationId }: Pick<Actor, "organisationId">,
  problemId: string,
  { cursor }: EventQuery,
  pageEvents = pageEventsDefault,
): Promise<EventPage> {
  const problem = await db
    .selectFrom("problems")
    .select(["app_id", "id"])
    .select((make) =>
      make
        .selectFrom("problem_hashes as h")
        .select(sql<string[]>`array_agg(h.hash)`.as("hashes"))
        .whereRef("h.app_id", "=", "problems.app_id")
        .whereRef("h.problem_id", "=", "problems.id")
        .as("hashes"),
    )
    .where("organisation_id", "=", organisationId)
    .where("id", "=", problemId)
    .executeTakeFirst();
  if (!problem) throw new Refusal("problem_not_found");
  const after = cursor === undefined ? undefined : readCursor("newest", cursor);
  const at = after ? new Date(after.at) : clock.now();
  const below = after
    ? sql`(e.received_at, e.event_id) < (${after.at}::timestamptz, ${after.id}::uuid)
        and e.event_id < ${idAt(at.getTime() + clockSlackMs)}`
    : sql`true`;
  const limit = sql.lit(pageEvents + 1);
  const sorting = sql`order by e.received_at desc, e.event_id desc limit ${limit}`;
  // The first events of each of its hashes. A problem that was never merged has one hash.
  const read = async (since: string) => {
    const first = (hash: RawBuilder<unknown>) => sql`(
      select * from event_summaries e
      where e.app_id = ${problem.app_id} and e.hash = ${hash} and ${below} and e.event_id >= ${since} ${sorting})`;
    const hashes = problem.hashes ?? [];
    // With literal hashes, the planner knows how many events each has; otherwise it would sort all of them.
    const events =
      hashes.length > 0 && hashes.length <= namedHashesMax
        ? sql`(${sql.join(
            hashes.map((hash) => first(sql`${hash}::uuid`)),
            sql` union all `,
          )}) e`
        : sql`problem_hashes h cross join lateral ${first(sql`h.hash`)} e
            where h.app_id = ${problem.app_id} and h.problem_id = ${problem.id}`;
    const { rows } = await sql<EventRow>`select ${eventColumns} from ${events} ${sorting}`.execute(db);
    return rows;
  };
  const rows = await readNewestFirst(db, at, read, (found) => found[pageEvents]?.received_at);
  const events = rows.slice(0, pageEvents).map(toEventSummary);
  const last = events.at(-1);
  return {
    events,
    nextCursor:
      last && rows.length > pageEvents ? writeCursor("newest", { count: 1, at: last.receivedAt, id: last.id }) : null,
  };
}
