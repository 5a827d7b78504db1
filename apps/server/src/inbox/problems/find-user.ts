import { type RawBuilder, sql } from "kysely";
import type pg from "pg";
import { hashInstall } from "../../people/installs/hash-install.ts";
import { preparedStatement } from "../../platform/database/statements.ts";

/** The latest events that are searched, for each way to name a user. */
const eventsMax = 2_000;
const singlesMax = 5;

const latest = (condition: string) =>
  `(select e.hash, e.event_id from event_summaries e where e.app_id = a.app_id and ${condition} order by e.event_id desc limit ${eventsMax})`;

const parameters = { appIds: "uuid[]", user: "text", installs: "uuid[]" } as const;
const latestEvents = ({ appIds, user, installs }: Record<keyof typeof parameters, string>) => `
    unnest(${appIds}, ${installs}) as a (app_id, install)
    cross join lateral (
      ${latest(`e.user_id = ${user}`)}
      union all
      ${latest(`lower(e.user_email) = lower(${user})`)}
      union all
      ${latest("e.install = a.install")}
    ) events`;

const statement = preparedStatement({
  name: "find_hashes_of_user",
  parameters,
  row: { app_id: "uuid", hash: "uuid" },
  text: (asked) => `
    select distinct a.app_id, events.hash from ${latestEvents(asked)} where events.hash is not null`,
});

const singlesStatement = preparedStatement({
  name: "find_single_reports_of_user",
  parameters,
  row: { event_id: "uuid" },
  text: (asked) => `
    select distinct events.event_id from ${latestEvents(asked)} where events.hash is null
    order by events.event_id desc limit ${singlesMax}`,
});

/** A problem hash of an app. */
export type KnownHash = { app_id: string; hash: string };

/**
 * The hashes of a user's latest events in some apps. `user` is an id, an e-mail address in any letter case, or an
 * install; each is looked up in its index.
 */
export const hashesOfUser = (pool: pg.Pool, appIds: string[], user: string): Promise<KnownHash[]> =>
  statement(pool, asking(appIds, user));

const asking = (appIds: string[], user: string) => ({
  appIds,
  user,
  installs: appIds.map((appId) => hashInstall(appId, user)),
});

/** The ids of the user's latest reports without a problem. */
export const singlesOfUser = async (pool: pg.Pool, appIds: string[], user: string): Promise<string[]> =>
  (await singlesStatement(pool, asking(appIds, user))).map(({ event_id }) => event_id);

/** The condition that an event of `event_summaries as e` belongs to the user. */
export const isOfUser = (appId: string, user: string): RawBuilder<unknown> =>
  sql`(e.user_id = ${user} or lower(e.user_email) = lower(${user}) or e.install = ${hashInstall(appId, user)})`;
