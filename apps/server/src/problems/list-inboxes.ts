import type { InboxList } from "@lodge/contract/dashboard/inbox";
import { type RawBuilder, sql } from "kysely";
import type { Actor } from "../access/find-actor.ts";
import type { Deps } from "../platform/deps.ts";
import { clockSlackMs, timeOf } from "../platform/uuid-time.ts";
import { isInState } from "./inbox-rows.ts";
import { findRecentStart, isSince } from "./newest-first.ts";

const countedMax = 1_000;

type Row = { id: string; name: string; open: number; last_at: Date | null; single_at: Date | null; waiting: number };

/** The apps of an organisation, by name, with what their inboxes hold. */
export async function listInboxes({ db, clock }: Deps, { organisationId }: Actor): Promise<InboxList> {
  const since = await findRecentStart(db, clock.now());
  const { rows } = await sql<Row>`
    select apps.id, apps.name,
      (select count(*) from (select from problems p where p.app_id = apps.id and ${isInState("open", clock.now())}
        limit ${sql.lit(countedMax)}) counted) as open,
      (select max(last_seen_at) from problems where app_id = apps.id) as last_at, ${lastSingleAt(since)} as single_at,
      (select count(*) from (select from unread_events where unread_events.app_id = apps.id limit ${sql.lit(countedMax)}) counted)
        as waiting
    from apps where organisation_id = ${organisationId} and deleted_at is null order by name, id`.execute(db);
  // Of apps that have received nothing lately.
  const quiet = rows.filter(
    ({ last_at, single_at }) =>
      since !== undefined && (single_at ?? last_at ?? new Date(0)).getTime() < timeOf(since) + clockSlackMs,
  );
  const found =
    quiet.length > 0
      ? await sql<{ id: string; single_at: Date | null }>`
          select id, ${lastSingleAt()} as single_at from apps where id = any(${quiet.map(({ id }) => id)}::uuid[])`.execute(
          db,
        )
      : { rows: [] };
  const singleAt = new Map([...rows, ...found.rows].map(({ id, single_at }) => [id, single_at]));
  return {
    inboxes: rows.map(({ id, name, open, last_at, waiting }) => ({
      app: { id, name },
      openProblemCount: open,
      lastReceivedAt: latest(last_at, singleAt.get(id))?.toISOString() ?? null,
      waitingCount: waiting,
    })),
  };
}

/** When the last of those reports of `apps` was received that belong to no problem. */
const lastSingleAt = (since?: string): RawBuilder<Date | null> => sql`
  (select max(received_at) from event_summaries
    where app_id = apps.id and hash is null and ${isSince(sql`event_id`, since)})`;

const latest = (...times: (Date | null | undefined)[]): Date | undefined =>
  times.flatMap((at) => at ?? []).reduce<Date | undefined>((last, at) => (last && last > at ? last : at), undefined);
