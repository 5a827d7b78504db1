import type { RefusalList } from "@lodge/contract/dashboard/apps";
import { sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";
import { invalidInput, Refusal } from "../../platform/errors.ts";
import { refusalDaysKept } from "./sweep-refusals.ts";

const rowsMax = 1_000;
const acceptedMax = 10_000;

/**
 * The refused reports of an app in the last `days` days (UTC) including today, the items that Sentry clients discarded,
 * and the items that were sent but not stored. Throws `app_not_found` or `invalid_input`.
 */
export async function listRefusals(
  { db, clock }: Deps,
  { organisationId }: Actor,
  appId: string,
  { days = "30" }: { days?: string },
): Promise<RefusalList> {
  const count = Number(days);
  if (count < 1 || count > refusalDaysKept)
    throw invalidInput([{ path: "/days", message: `must be from 1 to ${refusalDaysKept}` }]);
  const app = await db
    .selectFrom("apps")
    .select("id")
    .where("organisation_id", "=", organisationId)
    .where("id", "=", appId)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  if (!app) throw new Refusal("app_not_found");
  const since = new Date(clock.now());
  since.setUTCHours(0, 0, 0, 0);
  since.setUTCDate(since.getUTCDate() - count + 1);
  const { rows } = await sql<{
    day: string;
    code: string;
    key: string;
    name: string | null;
    count: number;
    last: Date;
  }>`
    select day, code, sdk_key_id as key, sdk_keys.name, count::float8 as count, last_at as last
    from refusals left join sdk_keys on sdk_keys.app_id = refusals.app_id and sdk_keys.id = refusals.sdk_key_id
    where refusals.app_id = ${appId} and day >= (${since}::timestamptz at time zone 'UTC')::date
      and code not like 'client_discarded:%'
    order by day desc, count desc, code, sdk_key_id limit ${sql.lit(rowsMax)}`.execute(db);
  const { rows: accepted } = await sql<{ count: number }>`
    select count(*)::integer as count
    from (select received_at from events where app_id = ${appId} order by id desc limit ${sql.lit(acceptedMax)}) latest
    where received_at >= ${since}`.execute(db);
  const { rows: discarded } = await sql<{ category: string; reason: string; count: number }>`
    select split_part(code, ':', 2) as category, split_part(code, ':', 3) as reason, sum(count)::float8 as count
    from refusals
    where app_id = ${appId} and day >= (${since}::timestamptz at time zone 'UTC')::date and code like 'client_discarded:%'
    group by code order by count desc, code`.execute(db);
  const { rows: unstored } = await sql<{ type: string; count: number; last: Date }>`
    select type, sum(count)::float8 as count, max(last_at) as last from unstored_items
    where app_id = ${appId} and day >= (${since}::timestamptz at time zone 'UTC')::date
    group by type order by count desc, type`.execute(db);
  return {
    discarded,
    unstored: unstored.map(({ type, count, last }) => ({ type, count, lastAt: last.toISOString() })),
    refusals: rows.map(({ day, code, key, name, count, last }) => ({
      day,
      code,
      key: { id: key, name },
      count,
      lastAt: last.toISOString(),
    })),
    acceptedCount: accepted[0]?.count ?? 0,
  };
}
