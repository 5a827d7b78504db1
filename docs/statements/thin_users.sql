-- thin_users: written by npm run generate.
-- $1 appIds uuid[]
-- $2 problemIds uuid[]
-- returns nothing

with thinned as materialized (
    select h.app_id, h.hash, next.level, next.kept
    from unnest($1::uuid[], $2::uuid[]) as crowded (app_id, problem_id)
    join problem_hashes h using (app_id, problem_id)
    cross join lateral (
      select level, kept from generate_series(h.user_level + 1, 33) level
      cross join lateral (
        select count(*)::integer as kept from problem_users u
        where u.app_id = h.app_id and u.hash = h.hash and u.level >= level.level
      ) counted
      where kept <= 10000 order by level limit 1
    ) next
    where h.users_kept > 10000
  ), dropped as (
    delete from problem_users u using thinned
    where u.app_id = thinned.app_id and u.hash = thinned.hash and u.level < thinned.level
  )
  update problem_hashes h set user_level = thinned.level, users_kept = thinned.kept
  from thinned where h.app_id = thinned.app_id and h.hash = thinned.hash;
