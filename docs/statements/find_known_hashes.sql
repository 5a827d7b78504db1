-- find_known_hashes: written by npm run generate.
-- $1 appIds uuid[]
-- $2 hashes uuid[]
-- returns app_id uuid, hash uuid

select app_id, hash from unnest($1::uuid[], $2::uuid[]) as asked (app_id, hash)
  where exists (select from problem_hashes known where known.app_id = asked.app_id and known.hash = asked.hash
    and not known.retired);
