import type { AppList } from "@lodge/contract/dashboard/apps";
import { sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import { dayOf } from "../../people/installs/month-sql.ts";
import { suspendedSince } from "../../people/installs/suspend.ts";
import type { Deps } from "../../platform/deps.ts";

type AppRow = {
  id: string;
  name: string;
  slug: string;
  enabled: boolean;
  replies: boolean;
  tellsFixes: boolean;
  last_at: Date | null;
  key_count: number;
  refused_count: number;
};

/**
 * The apps of an organisation, by name, each with whether its reports are refused because the install limit is
 * exceeded.
 */
export async function listApps({ db, clock }: Deps, { organisationId }: Actor): Promise<AppList> {
  const now = clock.now();
  const { rows: apps } = await sql<AppRow>`
    select id, name, slug, enabled, replies, tells_fixes as "tellsFixes",
      (select received_at from events where app_id = apps.id order by events.id desc limit 1) as last_at,
      (select count(*)::integer from sdk_keys where app_id = apps.id and (revoked_at is null or revoked_at > ${now}))
        as key_count,
      (select coalesce(sum(count), 0)::float8 from refusals
        where app_id = apps.id and code not like 'client_discarded:%' and day > (${now}::timestamptz at time zone 'UTC')::date - 7) as refused_count
    from apps where organisation_id = ${organisationId} and deleted_at is null order by name, id`.execute(db);
  const { rows: suspended } = await sql<{ since: string | null }>`
    select ${sql.raw(suspendedSince("asked.organisation_id", dayOf("asked.now")))} as since
    from (select ${organisationId}::uuid as organisation_id, ${now}::timestamptz as now) asked`.execute(db);
  return {
    apps: apps.map(({ last_at, key_count, refused_count, ...app }) => ({
      ...app,
      lastReceivedAt: last_at?.toISOString() ?? null,
      keyCount: key_count,
      refusedCount: refused_count,
    })),
    suspendedSince: suspended[0]?.since ?? null,
  };
}
