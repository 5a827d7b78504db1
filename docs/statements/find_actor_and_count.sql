-- find_actor_and_count: written by npm run generate.
-- $1 token bytea
-- $2 now timestamptz
-- returns session_id uuid, user_id uuid, name text, email text, provider_organisation_id uuid or null,
--   organisation_id uuid or null, role text or null, needs_provider boolean, needs_second_factor boolean,
--   granted boolean or null, oldest_at_ms bigint or null

with session as materialized (
  select sessions.id as session_id, users.id as user_id, users.name, users.email,
    sessions.provider_organisation_id, members.organisation_id, members.role,
    coalesce(sessions.provider_organisation_id is null and members.role <> 'owner' and exists (
      select from identity_providers where organisation_id = members.organisation_id and is_required), false) as needs_provider, coalesce(requires_second_factor and sessions.provider_organisation_id is null
      and not (exists (select from totp_factors where totp_factors.user_id = sessions.user_id and confirmed_at is not null)
      or exists (select from passkeys where passkeys.user_id = sessions.user_id)), false) as needs_second_factor
  from sessions join users on users.id = sessions.user_id
  left join members on members.organisation_id = sessions.active_organisation_id and members.user_id = sessions.user_id
  left join organisations on organisations.id = members.organisation_id
  where sessions.token_sha256 = $1::bytea and sessions.expires_at > $2::timestamptz
  ), hit as (
  insert into rate_limits as r (bucket, counted_at_ms, per_minute_max, granted, at_ms, total)
  select bucket, now_ms, rate, least(count, rate), array[0, now_ms], array[0, least(count, rate)]
  from (select bucket, (extract(epoch from now) * 1000)::bigint, count, rate from (select 'writes:' || user_id, $2::timestamptz, 1, 600 from session) request(bucket, now, count, rate)
  ) request(bucket, now_ms, count, rate)
  on conflict (bucket) do update set
    counted_at_ms = excluded.counted_at_ms, per_minute_max = excluded.per_minute_max,
    granted = least(excluded.granted,
      greatest(0, excluded.per_minute_max - (r.total[width_bucket(excluded.counted_at_ms + 5000, r.at_ms)] - r.total[width_bucket(excluded.counted_at_ms - 60000, r.at_ms)]))),
    at_ms = 0::bigint || case when least(excluded.granted,
      greatest(0, excluded.per_minute_max - (r.total[width_bucket(excluded.counted_at_ms + 5000, r.at_ms)] - r.total[width_bucket(excluded.counted_at_ms - 60000, r.at_ms)]))) = 0 then r.at_ms[width_bucket(excluded.counted_at_ms - 60000, r.at_ms) + 1:width_bucket(excluded.counted_at_ms + 5000, r.at_ms)]
      else r.at_ms[width_bucket(excluded.counted_at_ms - 60000, r.at_ms) + 1:width_bucket(excluded.counted_at_ms + 5000, r.at_ms) - case when r.at_ms[width_bucket(excluded.counted_at_ms + 5000, r.at_ms)] >= excluded.counted_at_ms
        or (excluded.per_minute_max > 100 and r.at_ms[width_bucket(excluded.counted_at_ms + 5000, r.at_ms) - 1] > excluded.counted_at_ms - 1200)
      then 1 else 0 end] || greatest(excluded.counted_at_ms, r.at_ms[width_bucket(excluded.counted_at_ms + 5000, r.at_ms)]) end,
    total = case when least(excluded.granted,
      greatest(0, excluded.per_minute_max - (r.total[width_bucket(excluded.counted_at_ms + 5000, r.at_ms)] - r.total[width_bucket(excluded.counted_at_ms - 60000, r.at_ms)]))) = 0 then r.total[width_bucket(excluded.counted_at_ms - 60000, r.at_ms):width_bucket(excluded.counted_at_ms + 5000, r.at_ms)]
      else r.total[width_bucket(excluded.counted_at_ms - 60000, r.at_ms):width_bucket(excluded.counted_at_ms + 5000, r.at_ms) - case when r.at_ms[width_bucket(excluded.counted_at_ms + 5000, r.at_ms)] >= excluded.counted_at_ms
        or (excluded.per_minute_max > 100 and r.at_ms[width_bucket(excluded.counted_at_ms + 5000, r.at_ms) - 1] > excluded.counted_at_ms - 1200)
      then 1 else 0 end] || (r.total[width_bucket(excluded.counted_at_ms + 5000, r.at_ms)] + least(excluded.granted,
      greatest(0, excluded.per_minute_max - (r.total[width_bucket(excluded.counted_at_ms + 5000, r.at_ms)] - r.total[width_bucket(excluded.counted_at_ms - 60000, r.at_ms)])))) end
  returning bucket, granted, at_ms[2] as oldest_at_ms
  )
  select session.*, hit.granted > 0 as granted, hit.oldest_at_ms from session, hit;
