import { type RawBuilder, sql } from "kysely";
import type pg from "pg";
import { hashInstall } from "../../people/installs/hash-install.ts";
import type { Database } from "../../platform/database/database.ts";
import { preparedStatement } from "../../platform/database/statements.ts";

/** Of a user's latest events so many are looked at, of each of the ways in which a user is named. */
const eventsMax = 2_000;

const latest = (appId: string, condition: string) =>
  `(select hash from event_summaries where app_id = ${appId} and ${condition} order by event_id desc limit ${eventsMax})`;

const statement = preparedStatement({
  name: "find_hashes_of_user",
  parameters: { appId: "uuid", user: "text", install: "uuid" },
  row: { hash: "uuid" },
  text: ({ appId, user, install }) => `
    select distinct hash from (
      ${latest(appId, `user_id = ${user}`)}
      union all
      ${latest(appId, `lower(user_email) = lower(${user})`)}
      union all
      ${latest(appId, `install = ${install}`)}
    ) events where hash is not null`,
});

/**
 * What the latest events of a user are recognised by, of the user with an id, an e-mail address in any letter case, or an
 * install. Each is looked up in its index.
 */
export async function hashesOfUser(pool: pg.Pool, appId: string, user: string): Promise<string[]> {
  const rows = await statement(pool, { appId, user, install: hashInstall(appId, user) });
  return rows.map(({ hash }) => hash);
}

/** A hash of problems of an app. */
export type KnownHash = { app_id: string; hash: string };

/** The same in several apps. */
export async function hashesOfUserIn(db: Database, appIds: string[], user: string): Promise<KnownHash[]> {
  const installs = appIds.map((appId) => hashInstall(appId, user));
  const latestOf = (condition: RawBuilder<unknown>) => sql`(
    select e.hash from event_summaries e where e.app_id = a.app_id and ${condition}
    order by e.event_id desc limit ${sql.lit(eventsMax)})`;
  const { rows } = await sql<KnownHash>`
    select distinct a.app_id, events.hash
    from unnest(${appIds}::uuid[], ${installs}::uuid[]) as a (app_id, install)
    cross join lateral (
      ${latestOf(sql`e.user_id = ${user}`)} union all ${latestOf(sql`lower(e.user_email) = lower(${user})`)}
      union all ${latestOf(sql`e.install = a.install`)}) events
    where events.hash is not null`.execute(db);
  return rows;
}

/** That an event of `event_summaries as e` is of such a user. */
export const isOfUser = (appId: string, user: string): RawBuilder<unknown> =>
  sql`(e.user_id = ${user} or lower(e.user_email) = lower(${user}) or e.install = ${hashInstall(appId, user)})`;
