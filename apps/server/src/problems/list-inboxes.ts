import type { InboxList } from "@lodge/contract/dashboard/inbox";
import { sql } from "kysely";
import type { Actor } from "../access/find-actor.ts";
import type { Deps } from "../platform/deps.ts";
import { isInState } from "./inbox-rows.ts";

const countedMax = 1_000;

/** The apps of an organisation, by name, with what their inboxes hold. */
export async function listInboxes({ db, clock }: Deps, { organisationId }: Actor): Promise<InboxList> {
  const { rows } = await sql<{ id: string; name: string; open: number; last_at: Date | null; waiting: number }>`
    select apps.id, apps.name,
      (select count(*) from (select from problems p where p.app_id = apps.id and ${isInState("open", clock.now())}
        limit ${sql.lit(countedMax)}) counted) as open,
      greatest((select max(received_at) from event_summaries where app_id = apps.id and hash is null),
        (select max(last_seen_at) from problems where app_id = apps.id)) as last_at,
      (select count(*) from (select from unread_events where unread_events.app_id = apps.id limit ${sql.lit(countedMax)}) counted)
        as waiting
    from apps where organisation_id = ${organisationId} and deleted_at is null order by name, id`.execute(db);
  return {
    inboxes: rows.map(({ id, name, open, last_at, waiting }) => ({
      app: { id, name },
      openProblemCount: open,
      lastReceivedAt: last_at?.toISOString() ?? null,
      waitingCount: waiting,
    })),
  };
}
