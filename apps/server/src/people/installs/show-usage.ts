import type { Usage } from "@lodge/contract/dashboard/usage";
import { monthlyInstallLimits, type Plan } from "@lodge/contract/plans";
import { sql } from "kysely";
import type { Database } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import type { Actor } from "../access/find-actor.ts";
import { limitOf } from "./change-allowance.ts";
import { spreadInstallsOf } from "./month-sql.ts";

const monthsShown = 12;
const unusualFactor = 3;
const unusualMin = 10;
const keysShown = 5;

type MonthRow = {
  month: string;
  installs: number;
  install_limit: number;
  forgiven: boolean;
  struck_out_at: Date | null;
};

/** An organisation's usage and limits: twelve months of active installs and their effects (contract section 5). */
export const showUsage = ({ db, clock }: Deps, actor: Actor): Promise<Usage> =>
  readUsage(db, actor.organisationId, clock.now());

/** The same, within a transaction. */
export async function readUsage(db: Database, organisationId: string, now: Date): Promise<Usage> {
  const organisation = await db
    .selectFrom("organisations")
    .select(["plan", "monthly_install_limit as monthlyInstallLimit"])
    .where("id", "=", organisationId)
    .executeTakeFirstOrThrow();
  const months = Array.from({ length: monthsShown }, (_, index) => monthOf(now, index - monthsShown + 1));
  const { rows } = await sql<MonthRow>`
    select to_char(month, 'YYYY-MM') as month, installs + ${sql.raw(spreadInstallsOf("allowance_months"))} as installs,
      install_limit, forgiven, struck_out_at
    from allowance_months
    where organisation_id = ${organisationId} and month >= ${`${months[0]}-01`}::date`.execute(db);
  const today = now.toISOString().slice(0, 10);
  const { rows: suspensions } = await sql<{ since: string; ends_on: string }>`
    select since, ends_on from suspensions
    where organisation_id = ${organisationId} and ended_at is null and ends_on > ${today}::date
    order by since desc limit 1`.execute(db);
  const rowOf = new Map(rows.map((row) => [row.month, row]));
  const limit = limitOf(organisation);
  const shown = months.map((month) => toMonth(month, rowOf.get(month)));
  const [suspension] = suspensions;
  return {
    plan: organisation.plan as Plan,
    planLimit: monthlyInstallLimits[organisation.plan as Plan],
    ownLimit: organisation.monthlyInstallLimit,
    limit,
    months: shown,
    overBefore: shown.at(-2)?.counts !== "over" ? 0 : shown.at(-3)?.counts !== "over" ? 1 : 2,
    suspension: suspension ? { since: suspension.since, endsOn: suspension.ends_on } : null,
    unusualDays: await findUnusualDays(db, organisationId, now, limit, shown.at(-1)?.installs ?? 0),
  };
}

function toMonth(month: string, row: MonthRow | undefined): Usage["months"][number] {
  if (!row) return { month, installs: 0, limit: null, counts: "within" };
  const { installs, install_limit, forgiven, struck_out_at } = row;
  const counts =
    installs <= install_limit ? "within" : !forgiven ? "over" : struck_out_at === null ? "forgiven" : "struck_out";
  return { month, installs, limit: install_limit, counts };
}

/** The month (UTC) that is `after` months after that of a moment, as YYYY-MM. */
const monthOf = (at: Date, after: number) =>
  new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + after)).toISOString().slice(0, 7);

/**
 * Every install is new once a month, most of them on its first days. So a day is compared with the same day of the
 * month before, and its neighbours.
 */
async function findUnusualDays(
  db: Database,
  organisationId: string,
  now: Date,
  limit: number,
  installsNow: number,
): Promise<Usage["unusualDays"]> {
  const [last, before] = [monthOf(now, -1), monthOf(now, -2)];
  const rows = await db
    .selectFrom("install_days")
    .select(["day", "installs"])
    .where("organisation_id", "=", organisationId)
    .where("day", ">=", sql<string>`${`${before}-01`}::date`)
    .orderBy("day")
    .execute();
  const upTo = new Map(rows.map(({ day, installs }) => [`${day}`, installs]));
  upTo.set(now.toISOString().slice(0, 10), installsNow);
  const newOn = (month: string) => {
    let counted = 0;
    return Array.from({ length: 31 }, (_, index) => {
      const installs = upTo.get(`${month}-${String(index + 1).padStart(2, "0")}`);
      const added = Math.max(0, (installs ?? counted) - counted);
      counted = Math.max(counted, installs ?? 0);
      return added;
    });
  };
  const isKnown = (month: string) => [...upTo.keys()].some((day) => day.startsWith(month));
  const unusual = [
    [last, before],
    [monthOf(now, 0), last],
  ].flatMap(([month = "", earlier = ""]) => {
    if (!isKnown(earlier)) return [];
    const usualOn = newOn(earlier);
    return newOn(month).flatMap((installs, index) => {
      const usual = Math.max(...usualOn.slice(Math.max(0, index - 1), index + 2));
      const isUnusual = installs >= Math.max(unusualMin, limit / 10) && installs > unusualFactor * usual;
      return isUnusual ? [{ day: `${month}-${String(index + 1).padStart(2, "0")}`, installs, usual }] : [];
    });
  });
  const keysOf = await findKeys(db, organisationId, unusual);
  return unusual.map((found) => ({ ...found, keys: keysOf.filter(({ day }) => day === found.day).map(toKey) }));
}

type KeyRow = {
  day: string;
  id: string;
  name: string;
  revoked_at: Date | null;
  installs: number;
  app_id: string;
  app_name: string;
};

/** The keys with the most new installs on each of some days. Keys of deleted apps are unknown. */
async function findKeys(db: Database, organisationId: string, days: { day: string }[]): Promise<KeyRow[]> {
  if (days.length === 0) return [];
  const { rows } = await sql<KeyRow>`
    select unusual.day::text, brought.* from unnest(${days.map(({ day }) => day)}::date[]) unusual (day)
    cross join lateral (
      select sdk_keys.id, sdk_keys.name, revoked_at, sum(installs)::integer as installs, apps.id as app_id,
        apps.name as app_name
      from apps join key_installs on key_installs.app_id = apps.id and key_installs.day = unusual.day
      join sdk_keys on sdk_keys.app_id = apps.id and sdk_keys.id = sdk_key_id
      where apps.organisation_id = ${organisationId}
      group by sdk_keys.id, sdk_keys.name, revoked_at, apps.id, apps.name
      order by installs desc, sdk_keys.id limit ${keysShown}
    ) brought
    order by installs desc, id`.execute(db);
  return rows;
}

const toKey = ({ id, name, revoked_at, installs, app_id, app_name }: KeyRow) => ({
  id,
  name,
  revokedAt: revoked_at?.toISOString() ?? null,
  app: { id: app_id, name: app_name },
  installs,
});
