import type { InboxList } from "@lodge/contract/dashboard/inbox";
import { sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import { preparedStatement } from "../../platform/database/statements.ts";
import type { Deps } from "../../platform/deps.ts";
import { clockSlackMs, nilId, timeOf } from "../../platform/uuid-time.ts";
import { isInState } from "./inbox-rows.ts";
import { findRecentStart } from "./newest-first.ts";

const countedMax = 1_000;

/** When each app received its last report without a problem, among events with this id or a later one. */
const findLastSingles = preparedStatement({
  name: "find_last_single_reports",
  parameters: { organisationId: "uuid", since: "uuid" },
  row: { id: "uuid", at: "timestamptz?" },
  text: ({ organisationId, since }) => `select id, (select max(received_at) from event_summaries
    where app_id = apps.id and hash is null and event_id >= ${since}) as at
  from apps where organisation_id = ${organisationId} and deleted_at is null`,
});

/** The apps of an organisation, by name, with a summary of their inboxes. */
export async function listInboxes({ db, pool, clock }: Deps, { organisationId }: Actor): Promise<InboxList> {
  const since = await findRecentStart(db, clock.now());
  const [{ rows }, recent] = await Promise.all([
    sql<{ id: string; name: string; open: number; last_at: Date | null; waiting: number }>`
      select apps.id, apps.name,
        (select count(*) from (select from problems p where p.app_id = apps.id and ${isInState("open", clock.now())}
          limit ${sql.lit(countedMax)}) counted) as open,
        (select max(last_seen_at) from problems where app_id = apps.id) as last_at,
        (select count(*) from (select from unread_events where unread_events.app_id = apps.id limit ${sql.lit(countedMax)}) counted)
          as waiting
      from apps where organisation_id = ${organisationId} and deleted_at is null order by name, id`.execute(db),
    findLastSingles(pool, { organisationId, since }),
  ]);
  const read = new Date(timeOf(since) + clockSlackMs);
  const timesOf = (singles: typeof recent) => new Map(singles.map(({ id, at }) => [id, at]));
  let singleAt = timesOf(recent);
  const lastOf = ({ id, last_at }: { id: string; last_at: Date | null }) => {
    const at = singleAt.get(id) ?? null;
    return at && last_at && last_at > at ? last_at : (at ?? last_at);
  };
  // An app has received nothing recently.
  if (since !== nilId && rows.some((row) => (lastOf(row) ?? read) <= read)) {
    singleAt = timesOf(await findLastSingles(pool, { organisationId, since: nilId }));
  }
  return {
    inboxes: rows.map(({ id, name, open, last_at, waiting }) => ({
      app: { id, name },
      openProblemCount: open,
      lastReceivedAt: lastOf({ id, last_at })?.toISOString() ?? null,
      waitingCount: waiting,
    })),
  };
}
