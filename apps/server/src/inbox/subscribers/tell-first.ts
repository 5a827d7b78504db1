/**
 * CTEs that find the reports of `request` that are the first of their problem, and remember their hashes, so that only
 * one of several concurrent reports is the first: `first_of_problem` has their n. `request` has n, app_id, digest,
 * group_hash and old_group_hash (by an older version of the rules). Must run before the events are inserted. Rows are
 * locked in one order, so that concurrent runs do not deadlock.
 */
export const firstOfProblemSql = (request: string) => `
    unknown_hash as materialized (
      select distinct on (app_id, group_hash) n, app_id, group_hash from ${request}
      where group_hash is not null
        and not exists (select from problem_hashes known where known.app_id = ${request}.app_id
          and (hash = group_hash or hash = old_group_hash and not retired))
        and not exists (select from report_ids known where known.app_id = ${request}.app_id and known.digest = ${request}.digest)
      order by app_id, group_hash, n
    ), told_hash as (
      insert into told_hashes (app_id, hash) select app_id, group_hash from unknown_hash order by app_id, group_hash
      on conflict do nothing
      returning app_id, hash
    ), first_of_problem as materialized (
      select n from unknown_hash join told_hash on told_hash.app_id = unknown_hash.app_id and hash = group_hash
    )`;
