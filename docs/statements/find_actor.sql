-- find_actor: written by npm run generate.
-- $1 token text
-- $2 now timestamptz
-- returns session_id uuid, user_id uuid, name text, email text, organisation_id uuid or null, role text or null,
--   needs_second_factor boolean

select sessions.id as session_id, users.id as user_id, users.name, users.email, members.organisation_id, members.role,
    coalesce(requires_second_factor and not exists (select from totp_factors where totp_factors.user_id = users.id and confirmed_at is not null), false) as needs_second_factor
  from sessions join users on users.id = sessions.user_id
  left join members on members.organisation_id = sessions.active_organisation_id and members.user_id = sessions.user_id
  left join organisations on organisations.id = members.organisation_id
  where sessions.token = $1::text and sessions.expires_at > $2::timestamptz;
