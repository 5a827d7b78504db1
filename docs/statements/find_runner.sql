-- find_runner: written by npm run generate.
-- $1 secret bytea
-- $2 now timestamptz
-- returns organisation_id uuid, id uuid, name text

with seen as (
    update runners set last_seen_at = $2::timestamptz
    where secret_sha256 = $1::bytea and (last_seen_at is null or last_seen_at < $2::timestamptz - interval '1 minute')
  )
  select organisation_id, id, name from runners where secret_sha256 = $1::bytea;
