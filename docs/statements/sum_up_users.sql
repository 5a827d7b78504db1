-- sum_up_users: written by npm run generate.
-- $1 appIds uuid[]
-- $2 problemIds uuid[]
-- returns nothing

update problems set user_level = (select max(user_level) from problem_hashes h where h.app_id = problems.app_id and h.problem_id = problems.id),
    user_count = (
    select count(distinct u.person) from problem_hashes h join problem_users u on u.app_id = h.app_id and u.hash = h.hash
    where h.app_id = problems.app_id and h.problem_id = problems.id and u.level >= (select max(user_level) from problem_hashes h where h.app_id = problems.app_id and h.problem_id = problems.id)
  ) << (select max(user_level) from problem_hashes h where h.app_id = problems.app_id and h.problem_id = problems.id)
    from unnest($1::uuid[], $2::uuid[]) as crowded (app_id, problem_id)
    where problems.app_id = crowded.app_id and problems.id = crowded.problem_id;
