import { type RawBuilder, sql } from "kysely";
import type pg from "pg";
import { hashInstall } from "../../people/installs/hash-install.ts";
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

/** That an event of `event_summaries as e` is of such a user. */
export const isOfUser = (appId: string, user: string): RawBuilder<unknown> =>
  sql`(e.user_id = ${user} or lower(e.user_email) = lower(${user}) or e.install = ${hashInstall(appId, user)})`;
