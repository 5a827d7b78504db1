import type { ReleaseList } from "@lodge/contract/dashboard/releases";
import { sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";
import { requireApp } from "./require-app.ts";

const releasesMax = 100;

type Row = {
  version: string;
  event_count: number;
  user_count: number | null;
  first_seen_at: Date;
  last_seen_at: Date;
  new_count: number;
  back_count: number;
};

/** The versions of an app that its events have named, newest first, at most 100. Throws `app_not_found`. */
export async function listReleases(deps: Deps, actor: Actor, appId: string): Promise<ReleaseList> {
  const app = await requireApp(deps, actor, appId);
  const { rows } = await sql<Row>`
    with release as materialized (
      select substr(facet, 9) as version, event_count, first_seen_at, last_seen_at from app_facets
      where app_id = ${app.id} and starts_with(facet, 'version:') order by first_seen_at desc limit ${sql.lit(releasesMax)}
    ), new as (
      select first_version as version, count(*)::integer as count from problems where app_id = ${app.id} group by first_version
    ), back as (
      select reopened_version as version, count(*)::integer as count from problems
      where app_id = ${app.id} and reopened_at is not null group by reopened_version
    )
    select release.*, app_releases.user_count, coalesce(new.count, 0) as new_count, coalesce(back.count, 0) as back_count
    from release
    left join app_releases on app_releases.app_id = ${app.id} and app_releases.version = release.version
    left join new on new.version = release.version
    left join back on back.version = release.version
    order by first_seen_at desc, version`.execute(deps.db);
  return {
    releases: rows.map((row) => ({
      version: row.version,
      eventCount: row.event_count,
      userCount: Math.min(row.user_count ?? 0, row.event_count),
      newProblemCount: row.new_count,
      backProblemCount: row.back_count,
      firstSeenAt: row.first_seen_at.toISOString(),
      lastSeenAt: row.last_seen_at.toISOString(),
    })),
  };
}
