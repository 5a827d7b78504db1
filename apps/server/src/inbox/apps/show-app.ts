import type { App, SdkKey } from "@lodge/contract/dashboard/apps";
import { sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { readNewestFirst } from "../problems/newest-first.ts";
import { dsnOf } from "./dsn.ts";

const recentReports = 1_000;

/** An app with its settings and SDK keys. Throws `app_not_found`. */
export const showApp = (deps: Deps, actor: Actor, appId: string): Promise<App> => readApp(deps, deps.db, actor, appId);

/** As `showApp`, within a transaction. */
export async function readApp(
  { clock, urls }: Pick<Deps, "clock" | "urls">,
  db: Database,
  { organisationId }: Pick<Actor, "organisationId">,
  appId: string,
): Promise<App> {
  const read = (since: string) =>
    db
      .selectFrom("apps")
      .select([
        "id",
        "number",
        "name",
        "slug",
        "enabled",
        "replies",
        "tells_fixes",
        "allowed_origins",
        "settings",
        "spike_events",
        "spike_minutes",
        "source_lines",
        "created_at",
      ])
      .select((make) =>
        make
          .selectFrom("events")
          .whereRef("events.app_id", "=", "apps.id")
          .where("events.id", ">=", since)
          .select("received_at")
          .orderBy("events.id", "desc")
          .limit(1)
          .as("last_received_at"),
      )
      .where("organisation_id", "=", organisationId)
      .where("id", "=", appId)
      .where("deleted_at", "is", null)
      .executeTakeFirst();
  const app = await readNewestFirst(db, clock.now(), read, (found) => (found ? found.last_received_at : clock.now()));
  if (!app) throw new Refusal("app_not_found");
  return {
    id: app.id,
    number: app.number,
    name: app.name,
    slug: app.slug,
    enabled: app.enabled,
    replies: app.replies,
    tellsFixes: app.tells_fixes,
    lastReceivedAt: app.last_received_at?.toISOString() ?? null,
    origins: app.allowed_origins ?? [],
    settings: app.settings as App["settings"],
    spike: spikeOf(app),
    sourceLines: app.source_lines,
    createdAt: app.created_at.toISOString(),
    ingestUrl: `${urls.ingest}/api/ingest`,
    keys: await readKeys(db, urls, app.id, clock.now()),
  };
}

/** The accepted SDK keys of an app, oldest first; or only the one with this id. */
export async function readKeys(
  db: Database,
  urls: Deps["urls"],
  appId: string,
  now: Date,
  keyId?: string,
): Promise<SdkKey[]> {
  const read = async (since: string) => {
    const { rows } = await sql<{
      id: string;
      name: string;
      key: string;
      number: number;
      created_at: Date;
      revoked_at: Date | null;
      recent: number;
    }>`
    with recent as materialized (
      select sdk_key_id, count(*)::integer as reports
      from (select sdk_key_id from events where app_id = ${appId} and id >= ${since} order by id desc limit ${sql.lit(recentReports)}) latest
      group by sdk_key_id
    )
    select sdk_keys.id, sdk_keys.name, key, number, sdk_keys.created_at, revoked_at, coalesce(recent.reports, 0) as recent
    from sdk_keys join apps on apps.id = app_id left join recent on recent.sdk_key_id = sdk_keys.id
    where app_id = ${appId} and (revoked_at is null or revoked_at > ${now})
      and (${keyId ?? null}::uuid is null or sdk_keys.id = ${keyId ?? null})
    order by sdk_keys.id`.execute(db);
    return rows;
  };
  const countOf = (keys: Awaited<ReturnType<typeof read>>) => keys.reduce((sum, { recent }) => sum + recent, 0);
  const rows = await readNewestFirst(db, now, read, (keys) => (countOf(keys) < recentReports ? undefined : now));
  return rows.map(({ id, name, key, number, created_at, revoked_at, recent }) => ({
    id,
    name,
    key,
    dsn: dsnOf(urls.ingest, key, number),
    createdAt: created_at.toISOString(),
    endsAt: revoked_at?.toISOString() ?? null,
    recentReportCount: recent,
  }));
}

/** The spike limit of an app, in the form of the contract. */
export const spikeOf = ({ spike_events: events, spike_minutes: minutes }: SpikeColumns): App["spike"] =>
  events === null || minutes === null ? null : { events, minutes };

type SpikeColumns = { spike_events: number | null; spike_minutes: number | null };
