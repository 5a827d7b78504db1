import { type RawBuilder, sql } from "kysely";
import type pg from "pg";
import { preparedStatement } from "../../platform/database/statements.ts";

/** Up to this number, the users of a hash are counted exactly. Above it, a sample of 5,000 to 10,000 is kept. */
export const usersOfHashMax = 10_000;

const levelSql = (appId: string, problemId: string) =>
  `(select max(user_level) from problem_hashes h where h.app_id = ${appId} and h.problem_id = ${problemId})`;

const countSql = (appId: string, problemId: string) => `(
    select count(distinct u.person) from problem_hashes h join problem_users u on u.app_id = h.app_id and u.hash = h.hash
    where h.app_id = ${appId} and h.problem_id = ${problemId} and u.level >= ${levelSql(appId, problemId)}
  ) << ${levelSql(appId, problemId)}`;

const sumSql = `user_level = ${levelSql("problems.app_id", "problems.id")},
    user_count = ${countSql("problems.app_id", "problems.id")}`;

/** The assignments that compute the user columns of `problems` from their hashes. */
export const sumOfUsers: RawBuilder<unknown> = sql.raw(sumSql);

/**
 * Raises the level of each hash with too many users until few enough are left: each level keeps about half of them. A
 * user always has the same level, so the sample is fair, however often each user occurs.
 */
const thinStatement = preparedStatement({
  name: "thin_users",
  parameters: { appIds: "uuid[]", problemIds: "uuid[]" },
  row: {},
  text: ({ appIds, problemIds }) => `with thinned as materialized (
    select h.app_id, h.hash, next.level, next.kept
    from unnest(${appIds}, ${problemIds}) as crowded (app_id, problem_id)
    join problem_hashes h using (app_id, problem_id)
    cross join lateral (
      select level, kept from generate_series(h.user_level + 1, 33) level
      cross join lateral (
        select count(*)::integer as kept from problem_users u
        where u.app_id = h.app_id and u.hash = h.hash and u.level >= level.level
      ) counted
      where kept <= ${usersOfHashMax} order by level limit 1
    ) next
    where h.users_kept > ${usersOfHashMax}
  ), dropped as (
    delete from problem_users u using thinned
    where u.app_id = thinned.app_id and u.hash = thinned.hash and u.level < thinned.level
  )
  update problem_hashes h set user_level = thinned.level, users_kept = thinned.kept
  from thinned where h.app_id = thinned.app_id and h.hash = thinned.hash`,
});

const sumStatement = preparedStatement({
  name: "sum_up_users",
  parameters: { appIds: "uuid[]", problemIds: "uuid[]" },
  row: {},
  text: ({ appIds, problemIds }) => `update problems set ${sumSql}
    from unnest(${appIds}, ${problemIds}) as crowded (app_id, problem_id)
    where problems.app_id = crowded.app_id and problems.id = crowded.problem_id`,
});

/** Reduces the users of each hash that has more than 10,000 to a sample, and updates the problems' user counts. */
export async function thinUsers(
  client: pg.PoolClient,
  problems: readonly { app_id: string; problem_id: string }[],
): Promise<void> {
  if (problems.length === 0) return;
  const crowded = {
    appIds: problems.map(({ app_id }) => app_id),
    problemIds: problems.map(({ problem_id }) => problem_id),
  };
  await thinStatement(client, crowded);
  await sumStatement(client, crowded);
}
